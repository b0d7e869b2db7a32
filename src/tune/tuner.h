// The tuner: spends a budget of trials over tasks. Per task, a strategy proposes batches of
// candidates from what is known, the bench builds and times them, memory keeps them; while one
// batch is built and timed, the next is proposed from everything before it, so that searching,
// compiling and measuring overlap and the same seed gives the same trials for any number of
// threads. Stops at the budget, at the deadline, or when asked. Never stops because of a candidate.
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
  std::int64_t trials = 64;  // per task, mean; the scheduler moves them between tasks
  double seconds = 0;        // 0: no deadline
  int jobs = 1;              // threads that search and compile
  // A task is settled, and its trials go to others, when so many trials and half of all trials
  // brought no gain of a hundredth. 0: the whole budget is spent.
  std::int64_t patience = 64;
  std::int64_t batch = 16;             // trials proposed at once, at most; fewer for a small budget
  std::string strategy = "evolution";  // see strategy_names()
  bool uses_model = true;              // false: the strategy's own order only
  bool begins_with_default = true;     // false: for benchmarks of what a search finds by itself
  double finish = 0.2;                 // share of the budget for coordinate descent at the end
  std::int64_t finalists = 8;          // the best that are compared with each other at the end
  double build_seconds = 120;          // after which compiling counts as hanging, and is refused
  double grace_seconds = 5;            // for what is being compiled when it is time to stop
  std::uint64_t seed = 1;
  schedule::Space space;
  Machine machine;
};

struct TaskProgress {
  std::string name;
  std::int64_t trials = 0, refused = 0;
  double best_seconds = 0;     // 0: none yet
  double default_seconds = 0;  // of the default schedule, 0: not measured yet
  double roofline_seconds = 0;
  bool is_settled = false;
};
struct Progress {
  std::vector<TaskProgress> tasks;
  std::int64_t done = 0, planned = 0;  // trials
  double seconds = 0, seconds_left = 0;
  std::map<std::string, std::int64_t> refusals;  // by the name of the reason
  std::string now;                               // the task in work
};

struct TaskResult {
  std::string name;
  std::int64_t trials = 0, refused = 0;
  std::int64_t reused = 0;  // known from before, of this space, not tried again
  Candidate best;           // nothing in it when all were refused
  Measurement best_time;
  bool was_compared = false;       // the finalists were, so best_time is by comparison
  bool is_settled = false;         // it ended before its budget: see TuneOptions::patience
  std::optional<Rejection> fault;  // of the bench, where that ended the task early
};
struct TuneResult {
  std::vector<TaskResult> tasks;
  std::map<std::string, std::int64_t> refusals;  // of trials, by the name of the reason
  // Of candidates that the rules, the verifier or an earlier trial refused: they cost no trial.
  std::map<std::string, std::int64_t> free_refusals;
  bool was_stopped = false;  // before the budget was spent
  // Of the model on programs that it had not learned from, where there are several.
  std::optional<ModelQuality> quality;
};

struct TuneHooks {
  std::function<void(const Progress&)> progress;  // from the thread that called tune()
  const std::atomic<bool>* stop = nullptr;        // set: finish what is in work, then return
  // Compiling something hangs, and is left to itself: from now on the bench must live as long as
  // the process. From the thread that called tune().
  std::function<void()> abandoned;
};

// The model is trained on the way. Refuses what memory refuses, UnknownStrategy, NoSchedule when a
// task's program cannot be read, and what the bench refused of every task through no candidate's
// fault before anything was timed; trials that end so are not recorded, and end their task.
Result<TuneResult> tune(const std::vector<Task>& tasks, const TuneOptions& options, Bench& bench,
                        Memory& memory, CostModel& model, const TuneHooks& hooks = {});

std::vector<std::string> strategy_names();

}  // namespace cambium::tune
