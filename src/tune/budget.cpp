#include "tune/budget.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cambium::tune {
namespace {

constexpr double kTrustInSlope = 0.2;  // share of the gain seen lately against what is possible
constexpr std::int64_t kWindow = 3;    // batches that "lately" means

}  // namespace

double expected_gain(const Standing& task, std::int64_t batch) {
  const auto known = static_cast<std::int64_t>(task.best_after.size());
  if (known == 0) return 0;
  const double best = task.best_after.back();
  if (std::isinf(best)) return 0;
  const std::int64_t window = std::min(known - 1, kWindow * batch);
  double slope = 0;
  if (window > 0) {
    const double before = task.best_after[static_cast<std::size_t>(known - 1 - window)];
    if (!std::isinf(before)) slope = (before - best) / static_cast<double>(window);
  }
  const double possible = std::max(0.0, best - task.roofline_seconds) /
                          static_cast<double>(std::max(known, task.proposed));
  return task.weight * (kTrustInSlope * slope + (1 - kTrustInSlope) * possible);
}

std::int64_t least_trials(const BudgetLimits& limits) {
  return std::min(limits.trials, std::max(limits.batch, limits.trials / 2));
}

std::int64_t most_trials(const BudgetLimits& limits) {
  constexpr std::int64_t kTimesTheMean = 4;
  const bool fits = limits.trials < std::numeric_limits<std::int64_t>::max() / kTimesTheMean;
  return fits ? kTimesTheMean * limits.trials : limits.trials;
}

std::int64_t trials_left(std::span<const Standing> tasks, const BudgetLimits& limits) {
  std::int64_t left = 0, owed = 0;
  for (const Standing& task : tasks) {
    left += limits.trials - std::min(task.proposed, most_trials(limits));
    if (!task.is_exhausted) owed += std::max<std::int64_t>(0, least_trials(limits) - task.proposed);
  }
  return std::max(left, owed);
}

std::optional<std::size_t> next_task(std::span<const Standing> tasks, const BudgetLimits& limits) {
  const std::int64_t left = trials_left(tasks, limits);
  if (left <= 0) return std::nullopt;
  std::int64_t owed = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].is_exhausted) continue;
    if (tasks[i].proposed == 0) return i;
    owed += std::max<std::int64_t>(0, least_trials(limits) - tasks[i].proposed);
  }
  const bool only_owed = owed >= left;
  const std::int64_t most = tasks.size() == 1 ? limits.trials : most_trials(limits);
  std::optional<std::size_t> chosen;
  double gain = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].is_exhausted || tasks[i].proposed >= most) continue;
    if (only_owed && tasks[i].proposed >= least_trials(limits)) continue;
    const double expected = expected_gain(tasks[i], limits.batch);
    if (!chosen.has_value() || expected > gain) {
      chosen = i;
      gain = expected;
    }
  }
  return chosen;
}

}  // namespace cambium::tune
