// Distributes a budget of trials over tasks: the next batch goes to the task whose next trial is
// expected to save most seconds of the whole model. Called by the tuner.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace cambium::tune {

// The facts about one task that decide.
struct Standing {
  double weight = 1;                   // how often the model calls it
  double roofline_seconds = 0;         // for the operations as they are written
  std::span<const double> best_after;  // the best time after each known trial
  std::int64_t proposed = 0;           // trials, both known and in progress
  bool is_exhausted = false;           // it has no more candidates, or needs no more trials
};

// Expected seconds of the model per trial. It is a mean of the gain of the last trials and,
// deliberately optimistic, of the time above the roofline (at least a tenth of the time) over the
// trials so far. For a task of which nothing ran, as if the roofline could be gained; 0 before its
// first trial.
double expected_gain(const Standing& task, std::int64_t batch);

// Whether more trials are unlikely to help: the best time has not fallen by kWorthwhileGain or more
// for `patience` trials and for half of all trials. With a patience of 0, no task is ever settled.
inline constexpr double kWorthwhileGain = 0.01;
bool is_settled(std::span<const double> best_after, std::int64_t patience);

struct BudgetLimits {
  std::int64_t batch = 16;
  std::int64_t trials = 64;  // the mean per task
};

// The least and the most trials that one task gets, whatever its expected gain.
std::int64_t least_trials(const BudgetLimits& limits);
std::int64_t most_trials(const BudgetLimits& limits);

// How many trials may still be proposed; none if all tasks are exhausted. Trials known from earlier
// runs count, but for each task at most as many as one search would give it. Every task gets its
// least.
std::int64_t trials_left(std::span<const Standing> tasks, const BudgetLimits& limits);

// First one batch for each task, in order. Then by expected gain, but tasks with less than half of
// the mean so far come first, and tasks with four times the mean last. Nothing when the budget is
// spent or all tasks are exhausted.
std::optional<std::size_t> next_task(std::span<const Standing> tasks, const BudgetLimits& limits);

// How many trials that batch may have, without the trials reserved for other tasks.
std::int64_t next_batch(std::span<const Standing> tasks, const BudgetLimits& limits,
                        std::size_t task);

}  // namespace cambium::tune
