#include "tune/budget.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cambium::tune {
namespace {

constexpr double kTrustInSlope = 0.2;  // share of the gain seen lately against what is possible
constexpr std::int64_t kWindow = 3;    // batches that "lately" means
// The roofline counts operations as a program is written: with an algorithm that needs fewer, like
// Winograd's, a schedule is faster than it. Such a share of its time always seems possible to gain.
constexpr double kAlwaysPossible = 0.1;
constexpr std::int64_t kTimesTheMean = 4;  // the most that one task gets; half of it is the least

// Trials of the budget that are left, and those that tasks have to get whatever is left.
struct Left {
  std::int64_t free = 0, owed = 0;
};

std::int64_t owed_to(const Standing& task, const BudgetLimits& limits) {
  if (task.is_exhausted) return 0;
  return std::max<std::int64_t>(0, least_trials(limits) - task.proposed);
}

Left left_of(std::span<const Standing> tasks, const BudgetLimits& limits) {
  Left left;
  for (const Standing& task : tasks) {
    left.free += limits.trials - std::min(task.proposed, most_trials(limits));
    left.owed += owed_to(task, limits);
  }
  left.free -= left.owed;
  return left;
}

std::int64_t most_of(std::span<const Standing> tasks, const BudgetLimits& limits) {
  return tasks.size() == 1 ? limits.trials : most_trials(limits);
}

// How far a task is from the mean of what was proposed so far. Where a clock ends the search, its
// limits on trials never bind, and these do.
enum class Pace : std::uint8_t { Behind, Ordinary, Ahead };

Pace pace_of(const Standing& task, std::int64_t all, std::size_t tasks, std::int64_t batch) {
  const auto count = static_cast<std::int64_t>(tasks);
  if (2 * count * (task.proposed + batch) <= all) return Pace::Behind;
  if (task.proposed >= kTimesTheMean * batch && count * task.proposed >= kTimesTheMean * all) {
    return Pace::Ahead;
  }
  return Pace::Ordinary;
}

}  // namespace

double expected_gain(const Standing& task, std::int64_t batch) {
  const auto known = static_cast<std::int64_t>(task.best_after.size());
  if (known == 0) return 0;
  const auto trials = static_cast<double>(std::max(known, task.proposed));
  const double best = task.best_after.back();
  if (std::isinf(best)) return task.weight * (1 - kTrustInSlope) * task.roofline_seconds / trials;
  const std::int64_t window = std::min(known - 1, kWindow * batch);
  double slope = 0;
  if (window > 0) {
    const double before = task.best_after[static_cast<std::size_t>(known - 1 - window)];
    if (!std::isinf(before)) slope = (before - best) / static_cast<double>(window);
  }
  const double possible = std::max(best - task.roofline_seconds, kAlwaysPossible * best) / trials;
  return task.weight * (kTrustInSlope * slope + (1 - kTrustInSlope) * possible);
}

bool is_settled(std::span<const double> best_after, std::int64_t patience) {
  if (patience <= 0 || best_after.empty() || std::isinf(best_after.back())) return false;
  const double as_good = best_after.back() * (1 + kWorthwhileGain);
  const auto first = std::find_if(best_after.begin(), best_after.end(),
                                  [as_good](double best) { return best <= as_good; });
  const std::int64_t since = best_after.end() - first - 1;
  return since >= patience && 2 * since >= std::ssize(best_after);
}

std::int64_t least_trials(const BudgetLimits& limits) {
  return std::min(limits.trials, std::max(limits.batch, limits.trials / 2));
}

std::int64_t most_trials(const BudgetLimits& limits) {
  const bool fits = limits.trials < std::numeric_limits<std::int64_t>::max() / kTimesTheMean;
  return fits ? kTimesTheMean * limits.trials : limits.trials;
}

std::int64_t trials_left(std::span<const Standing> tasks, const BudgetLimits& limits) {
  const bool is_over = std::all_of(tasks.begin(), tasks.end(),
                                   [](const Standing& task) { return task.is_exhausted; });
  if (is_over) return 0;
  const Left left = left_of(tasks, limits);
  return left.owed + std::max<std::int64_t>(0, left.free);
}

std::optional<std::size_t> next_task(std::span<const Standing> tasks, const BudgetLimits& limits) {
  const Left left = left_of(tasks, limits);
  std::int64_t all = 0;
  for (const Standing& task : tasks) all += std::min(task.proposed, most_trials(limits));
  std::optional<std::size_t> chosen;
  Pace pace = Pace::Ahead;
  double gain = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Standing& task = tasks[i];
    if (task.is_exhausted || task.proposed >= most_of(tasks, limits)) continue;
    if (left.free <= 0 && owed_to(task, limits) == 0) continue;
    if (task.proposed == 0) return i;
    const double expected = expected_gain(task, limits.batch);
    const Pace its = pace_of(task, all, tasks.size(), limits.batch);
    if (!chosen.has_value() || its < pace || (its == pace && expected > gain)) {
      chosen = i;
      pace = its;
      gain = expected;
    }
  }
  return chosen;
}

std::int64_t next_batch(std::span<const Standing> tasks, const BudgetLimits& limits,
                        std::size_t task) {
  const Left left = left_of(tasks, limits);
  const std::int64_t may = owed_to(tasks[task], limits) + std::max<std::int64_t>(0, left.free);
  return std::min({limits.batch, may, most_of(tasks, limits) - tasks[task].proposed});
}

}  // namespace cambium::tune
