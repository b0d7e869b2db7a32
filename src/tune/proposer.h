// The searching half of the tuner: it keeps the history of every task and the examples of the
// model, and proposes the next batch of trials. Everything here depends only on the seed and on
// what was learned, never on clocks or threads. Called by tune(), by one thread at a time.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/thread_pool.h"
#include "tune/budget.h"
#include "tune/cores.h"
#include "tune/history.h"
#include "tune/pipeline.h"
#include "tune/strategy.h"
#include "tune/tuner.h"

namespace cambium::tune {

class Proposer {
 public:
  // Refuses UnknownStrategy. Its arguments must outlive it.
  static Result<std::unique_ptr<Proposer>> make(const std::vector<Task>& tasks,
                                                const TuneOptions& options, CostModel& model,
                                                ThreadPool& pool, Cores& cores);

  // Takes the records of a task from memory; called before anything else. A record that no longer
  // replays to the same program, or that has samples of rules outside the space, is not tried
  // again, but it is no result and does not count against the budget. The default schedule counts,
  // whichever space made it.
  void restore(std::size_t task, const std::vector<Memory::Known>& known);
  void learn(std::vector<FinishedTrial> trials);
  // The next batch. The first batches have the default schedules of several tasks, so that each
  // task has a time, and the candidates in which processes died. Later batches are of one task. An
  // empty batch means that nothing is left to do. `time_spent` is a share from 0 to 1.
  std::vector<TrialInWork> propose(double time_spent);
  void compared(std::size_t task, Fingerprint scheduled, const Measurement& time);
  void refused(std::size_t task, Fingerprint scheduled) { tasks_[task].history.refuse(scheduled); }
  // How well the model orders unseen programs: it predicts each quarter of them after learning from
  // the others. Nothing if it does not learn, has too few examples, or was told to stop. Unless it
  // was stopped, it ends with all examples learned. Not to be called beside propose() or learn().
  std::optional<ModelQuality> quality_by_program(const std::atomic<bool>& stop);
  void give_up(std::size_t task) {
    tasks_[task].is_exhausted = true;
  }  // no more trials for that task

  // Called from another thread: the current proposal is no longer wanted.
  void abandon() { is_abandoned_ = true; }

  const History& history(std::size_t task) const { return tasks_[task].history; }
  // Whether the task gets no more trials, because the last ones gained too little.
  bool is_settled(std::size_t task) const {
    return tune::is_settled(tasks_[task].history.best_after(), options_.patience);
  }
  const RefusalCounts& refused_before(std::size_t task) const {
    return tasks_[task].refused_before;
  }
  double roofline_seconds(std::size_t task) const { return tasks_[task].roofline_seconds; }
  std::int64_t planned() const;  // trials of all tasks, including those of earlier runs
  const RefusalCounts& refusals() const { return refusals_; }  // of the rules and the verifier

 private:
  struct State {
    History history;
    std::unique_ptr<Strategy> strategy;
    std::int64_t proposed = 0;  // including known trials
    std::int64_t searched = 0;  // the same without the default schedule
    std::int64_t last_number = 0;
    std::map<Fingerprint, std::int64_t>
        begun;                      // candidates in which a process died, with their numbers
    std::vector<Individual> again;  // those of them that can be made
    RefusalCounts refused_before;   // of the restored trials
    double roofline_seconds = 0;
    bool is_default_made = false;
    bool is_descended = false;  // it had its batch of coordinate descent
    bool is_exhausted = false;
  };

  Proposer(const std::vector<Task>& tasks, const TuneOptions& options, CostModel& model,
           ThreadPool& pool, Cores& cores);
  std::vector<std::size_t> worth_making(const std::vector<Memory::Known>& known) const;
  void adopt_default(State& state, Generator& generator, const Memory::Known& known);
  // With `reserves`, the trials reserved for the finish count as proposed.
  std::vector<Standing> standings(bool reserves = false) const;
  bool has_room(std::size_t task) const;
  bool is_finish(double spent) const;
  std::optional<std::size_t> next(double spent) const;
  TrialInWork trial_of(std::size_t task, Individual individual);
  std::vector<TrialInWork> openings();
  void train_if_due();
  std::vector<Individual> candidates(std::size_t task, std::size_t count, double spent);
  std::optional<Individual> default_candidate(std::size_t task);
  std::size_t batch_size(std::size_t task, double spent) const;
  bool learns() const { return options_.uses_model && !is_blind(options_.strategy); }

  const std::vector<Task>& given_;
  const TuneOptions& options_;
  CostModel& model_;
  ThreadPool& pool_;
  Cores& cores_;
  BudgetLimits limits_;
  std::vector<State> tasks_;
  Examples examples_;
  std::int64_t trained_on_ = 0;
  RefusalCounts refusals_;
  bool has_opened_ = false;
  std::atomic<bool> is_abandoned_ = false;
};

}  // namespace cambium::tune
