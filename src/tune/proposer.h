// The searching half of the tuner: what is known of every task, the model and its examples, and the
// next batch of trials. Everything here depends on the seed and on what was learned only, never on
// clocks or threads. Called by tune(), never from two threads at a time.
#pragma once

#include <atomic>
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
  // Refuses UnknownStrategy, and NoSchedule for a program that cannot be read. What it is given
  // must live as long.
  static Result<std::unique_ptr<Proposer>> make(const std::vector<Task>& tasks,
                                                const TuneOptions& options, CostModel& model,
                                                ThreadPool& pool, Cores& cores);

  // What memory has of a task; before anything else. What no
  // longer replays to the same program, or has samples of rules that are not in the space, counts
  // as tried and is no result.
  void restore(std::size_t task, const std::vector<Memory::Known>& known);
  void learn(std::vector<FinishedTrial> trials);
  // The next batch, of one task. None: nothing is left to do. `time_spent` is a share, 0 to 1.
  std::vector<TrialInWork> propose(double time_spent);
  void compared(std::size_t task, Fingerprint scheduled, const Measurement& time);
  void refused(std::size_t task, Fingerprint scheduled) { tasks_[task].history.refuse(scheduled); }
  // How well the model orders programs that it has not seen: each quarter of them is asked about
  // after it learned from the others. Nothing: it does not learn, or has too little to learn from.
  // Ends with all learned. Not beside propose() or learn().
  std::optional<ModelQuality> quality_by_program();
  void give_up(std::size_t task) { tasks_[task].is_exhausted = true; }  // no more of that one

  // From another thread: what is being proposed is not wanted any more.
  void abandon() { is_abandoned_ = true; }

  const History& history(std::size_t task) const { return tasks_[task].history; }
  double roofline_seconds(std::size_t task) const { return tasks_[task].roofline_seconds; }
  std::int64_t planned() const;  // trials of all tasks, those known from before included
  const RefusalCounts& refusals() const { return refusals_; }  // of the rules and the verifier

 private:
  struct State {
    History history;
    std::unique_ptr<Strategy> strategy;
    std::int64_t proposed = 0;  // known ones included
    std::int64_t last_number = 0;
    double roofline_seconds = 0;
    bool is_default_made = false;
    bool is_exhausted = false;
  };

  Proposer(const std::vector<Task>& tasks, const TuneOptions& options, CostModel& model,
           ThreadPool& pool, Cores& cores);
  std::vector<Standing> standings() const;
  void train_if_due();
  std::vector<Individual> candidates(std::size_t task, std::size_t count, double spent);
  std::optional<Individual> default_candidate(State& state, Generator& generator);
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
  std::atomic<bool> is_abandoned_ = false;
};

}  // namespace cambium::tune
