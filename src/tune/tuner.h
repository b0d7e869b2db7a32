// The tuner spends a budget of trials over tasks. For each task, a strategy proposes batches of
// candidates from what is known, the bench builds and times them, and the memory keeps them. While
// one batch is built and timed, the next is proposed from everything before it. So searching,
// compiling and measuring overlap, and the same seed gives the same trials for any number of
// threads. It stops at the budget, at the deadline, or when asked, but never because of a
// candidate.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/cost_model.h"
#include "tune/task.h"

namespace cambium::tune {

struct TuneOptions {
  std::int64_t trials = 64;  // per task, on average; the scheduler moves them between tasks
  double seconds = 0;        // 0: no deadline
  int jobs = 1;              // threads that search and compile
  // A task is settled, and its trials go to others, when this many trials and half of all its
  // trials brought no gain of 1 %. 0: the whole budget is spent.
  std::int64_t patience = 64;
  std::int64_t batch = 16;             // most trials proposed at once; fewer for a small budget
  std::string strategy = "evolution";  // see strategy_names()
  bool uses_model = true;              // false: the strategy's own order only
  bool begins_with_default = true;     // false: for benchmarks of a search on its own
  double finish = 0.2;                 // share of the budget for coordinate descent at the end
  std::int64_t finalists = 8;          // number of the best that are compared at the end
  double build_seconds = 120;  // after this time a compilation counts as hanging, and is refused
  double grace_seconds = 5;    // for current compilations when it is time to stop
  std::uint64_t seed = 1;
  schedule::Space space;
  Machine machine;
};

struct TaskProgress {
  std::string name;
  std::int64_t trials = 0, refused = 0;
  double best_seconds = 0;     // 0: none yet
  double default_seconds = 0;  // time of the default schedule; 0: not measured yet
  double roofline_seconds = 0;
  bool is_settled = false;
};
struct Progress {
  std::vector<TaskProgress> tasks;
  std::int64_t done = 0, planned = 0;  // trials
  double seconds = 0, seconds_left = 0;
  std::map<std::string, std::int64_t> refusals;  // by the name of the reason
  std::string now;                               // name of the current task
};

struct TaskResult {
  std::string name;
  std::int64_t trials = 0, refused = 0;
  std::int64_t reused = 0;  // trials of earlier runs in this space, not tried again
  Candidate best;           // empty if all were refused
  Measurement best_time;
  bool was_compared = false;  // the finalists were compared, and best_time is from that comparison
  bool is_settled = false;    // it ended before its budget; see TuneOptions::patience
  std::optional<Rejection> fault;  // of the bench, if it ended the task early
};
struct TuneResult {
  std::vector<TaskResult> tasks;
  std::map<std::string, std::int64_t> refusals;  // trials by the name of the reason
  // Reasons of candidates that cost no trial: the rules, the verifier or an earlier trial refused
  // them.
  std::map<std::string, std::int64_t> free_refusals;
  bool was_stopped = false;  // before the budget was spent
  // Quality of the model on programs that it had not learned from; only with several programs.
  std::optional<ModelQuality> quality;
};

struct TuneHooks {
  std::function<void(const Progress&)> progress;  // called by the thread that called tune()
  const std::atomic<bool>* stop = nullptr;        // set: finish the current trial, then return
  // A hanging compilation was abandoned: from now on the bench must live as long as the process.
  // Called by the thread that called tune().
  std::function<void()> abandoned;
};

// Trains the model during the search. Refuses what the memory refuses, and UnknownStrategy. If
// faults of the bench end every task before anything was timed, refuses the first of them. Such
// trials are not recorded and end their task.
Result<TuneResult> tune(const std::vector<Task>& tasks, const TuneOptions& options, Bench& bench,
                        Memory& memory, CostModel& model, const TuneHooks& hooks = {});

std::vector<std::string> strategy_names();

}  // namespace cambium::tune
