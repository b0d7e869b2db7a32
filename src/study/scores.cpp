#include "study/scores.h"

#include <algorithm>
#include <cmath>

namespace cambium::study {
namespace {

// Higher is better.
double gain(const Scores& scores, Metric metric) {
  const double value = scores.at(metric)->value;
  return more_is_better(metric) ? value : -value;
}

bool is_from_here(const Scores& scores, std::span<const Metric> objectives) {
  return std::none_of(objectives.begin(), objectives.end(),
                      [&](Metric metric) { return scores.at(metric)->is_elsewhere; });
}

// One bit for each objective that is an estimate: only candidates of one kind are compared.
std::uint32_t kind_of(const Scores& scores, std::span<const Metric> objectives) {
  std::uint32_t kind = 0;
  for (const Metric metric : objectives) kind = 2 * kind + (scores.at(metric)->is_estimate ? 1 : 0);
  return kind;
}

// The candidates that take part in fronts. A candidate that dominates another, or equals it and
// came first, stands before it.
std::vector<std::size_t> sorted(std::span<const Scores* const> candidates,
                                std::span<const Metric> objectives) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Scores* const scores = candidates[i];
    if (scores == nullptr || !has_all(*scores, objectives)) continue;
    if (is_from_here(*scores, objectives)) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const Metric metric : objectives) {
      const double left = gain(*candidates[a], metric), right = gain(*candidates[b], metric);
      if (left != right) return left > right;
    }
    return a < b;
  });
  return order;
}

// Takes the front out of a sorted list.
std::vector<std::size_t> take_front(std::span<const Scores* const> candidates,
                                    std::span<const Metric> objectives,
                                    std::vector<std::size_t>& rest) {
  std::map<std::uint32_t, std::vector<std::size_t>> front_of_kind;
  std::vector<std::size_t> front, left;
  for (const std::size_t i : rest) {
    std::vector<std::size_t>& rivals = front_of_kind[kind_of(*candidates[i], objectives)];
    // Of two objectives the last rival is the best in the second.
    const bool last_decides = objectives.size() <= 2 && !rivals.empty();
    const bool is_covered = std::any_of(
        last_decides ? rivals.end() - 1 : rivals.begin(), rivals.end(), [&](std::size_t rival) {
          return std::all_of(objectives.begin(), objectives.end(), [&](Metric metric) {
            return gain(*candidates[rival], metric) >= gain(*candidates[i], metric);
          });
        });
    if (!is_covered) rivals.push_back(i);
    (is_covered ? left : front).push_back(i);
  }
  rest = std::move(left);
  return front;
}

std::pair<int, double> cost_of(const Scores& scores) {
  const auto& latency = scores.at(Metric::Latency);
  const auto& macs = scores.at(Metric::Macs);
  if (latency) return {latency->is_estimate ? 1 : 0, latency->value};
  return {2, macs ? macs->value : 0};
}

}  // namespace

store::StudyValue joined(std::vector<std::pair<std::uint64_t, store::StudyValue>> by_seed) {
  std::stable_sort(by_seed.begin(), by_seed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  store::StudyValue all = by_seed.front().second;
  if (by_seed.size() == 1) return all;
  const auto count = static_cast<double>(by_seed.size());
  double sum = 0;
  all.samples = 0;
  for (const auto& [seed, value] : by_seed) {
    sum += value.value;
    all.samples += value.samples;
    all.is_estimate |= value.is_estimate;
  }
  all.value = sum / count;
  double squares = 0;
  for (const auto& [seed, value] : by_seed) {
    squares += (value.value - all.value) * (value.value - all.value);
  }
  all.spread = all.value != 0 ? std::sqrt(squares / (count - 1)) / std::abs(all.value) : 0;
  return all;
}

std::map<std::string, store::StudyValue> joined(const std::vector<store::Evaluation>& evaluations) {
  std::map<std::string, std::vector<std::pair<std::uint64_t, store::StudyValue>>> by_name;
  for (const store::Evaluation& evaluation : evaluations) {
    for (const auto& [name, value] : evaluation.values) {
      by_name[name].emplace_back(evaluation.key.seed, value);
    }
  }
  std::map<std::string, store::StudyValue> all;
  for (auto& [name, values] : by_name) all.emplace(name, joined(std::move(values)));
  return all;
}

void add_scores(const std::map<std::string, store::StudyValue>& values, Scores& scores,
                bool is_elsewhere) {
  for (const auto& [name, value] : values) {
    if (const auto metric = metric_named(name)) {
      scores.set(*metric, {value.value, value.spread, value.is_estimate, is_elsewhere});
    }
  }
}

bool has_all(const Scores& scores, std::span<const Metric> objectives) {
  return std::all_of(objectives.begin(), objectives.end(), [&](Metric metric) {
    return scores.at(metric) && std::isfinite(scores.at(metric)->value);
  });
}

bool dominates(const Scores& a, const Scores& b, std::span<const Metric> objectives) {
  if (!has_all(a, objectives) || !has_all(b, objectives)) return false;
  if (kind_of(a, objectives) != kind_of(b, objectives)) return false;
  bool is_better = false;
  for (const Metric metric : objectives) {
    if (gain(a, metric) < gain(b, metric)) return false;
    is_better = is_better || gain(a, metric) > gain(b, metric);
  }
  return is_better;
}

std::vector<std::size_t> pareto_front(std::span<const Scores* const> candidates,
                                      std::span<const Metric> objectives) {
  std::vector<std::size_t> rest = sorted(candidates, objectives);
  return take_front(candidates, objectives, rest);
}

std::vector<std::size_t> pareto_front(std::span<const Scores> candidates,
                                      std::span<const Metric> objectives) {
  std::vector<const Scores*> all;
  for (const Scores& each : candidates) all.push_back(&each);
  return pareto_front(all, objectives);
}

std::vector<std::size_t> best_by_fronts(std::span<const Scores* const> candidates,
                                        std::span<const Metric> objectives, std::size_t count) {
  std::vector<std::size_t> rest = sorted(candidates, objectives), best;
  while (best.size() < count && !rest.empty()) {
    const std::vector<std::size_t> front = take_front(candidates, objectives, rest);
    best.insert(best.end(), front.begin(), front.end());
  }
  if (best.size() > count) best.resize(count);
  return best;
}

bool is_cheaper(const Scores& a, const Scores& b) {
  return cost_of(a) < cost_of(b);
}

std::optional<double> epochs_of(const Scores& scores) {
  for (const Metric metric : {Metric::Accuracy, Metric::Perplexity}) {
    const auto& value = scores.at(metric);
    if (value && value->fidelity > 0) return value->fidelity;
  }
  return std::nullopt;
}

}  // namespace cambium::study
