// How a budget of trials is spread over tasks: the next batch goes to the task from which a trial
// is expected to gain most, counted in seconds of the whole model. Called by the tuner.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace cambium::tune {

// What decides about one task.
struct Standing {
  double weight = 1;                   // how often the model calls it
  double roofline_seconds = 0;         // of the operations as they are written
  std::span<const double> best_after;  // the best time after each trial that is known
  std::int64_t proposed = 0;           // trials, known and in work
  bool is_exhausted = false;           // it has no more candidates, or needs no more trials
};

// Seconds of the model per trial: one part what the last trials gained, the other what is left
// above the roofline (a tenth of the time at least) over the trials so far, which is optimistic on
// purpose. For a task of which nothing ran, as if the roofline could be gained; 0 before its first
// trial.
double expected_gain(const Standing& task, std::int64_t batch);

// Whether more trials are not expected to bring anything: the best time has not fallen by
// kWorthwhileGain or more for `patience` trials and for half of all trials. A patience of 0 waits
// for ever.
inline constexpr double kWorthwhileGain = 0.01;
bool is_settled(std::span<const double> best_after, std::int64_t patience);

struct BudgetLimits {
  std::int64_t batch = 16;
  std::int64_t trials = 64;  // the mean per task
};

// The least and the most trials that one task gets, whatever is expected of it.
std::int64_t least_trials(const BudgetLimits& limits);
std::int64_t most_trials(const BudgetLimits& limits);

// How many trials may still be proposed: none where all tasks are exhausted. Those known from
// before count, of each task at most what one search would give it; every task has its least.
std::int64_t trials_left(std::span<const Standing> tasks, const BudgetLimits& limits);

// First one batch each, in order; then by expected gain, but those that have less than half of the
// mean so far first, and those with four times it last. Nothing when the budget is spent or all
// tasks are exhausted.
std::optional<std::size_t> next_task(std::span<const Standing> tasks, const BudgetLimits& limits);

// How many trials that batch may have: what is owed to others stays.
std::int64_t next_batch(std::span<const Standing> tasks, const BudgetLimits& limits,
                        std::size_t task);

}  // namespace cambium::tune
