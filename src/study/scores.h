// Scores: what is known of one candidate, when one candidate dominates another, and the Pareto
// front of many. The search, `cambium study list` and reports compare candidates with this code
// alone. Refuses nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/study.h"
#include "study/metric.h"

namespace cambium::study {

struct Value {
  double value = 0;
  // Relative. Of one seed: the spread of its own measurements. Of several: the standard deviation.
  double spread = 0;
  bool is_estimate = false;
  // Measured on another machine than the one whose times count.
  bool is_elsewhere = false;
  std::int32_t seeds = 1;  // that the value is the mean of
  double fidelity = 0;     // of the evaluation: epochs of training, trials of tuning
};

// Any metric may be unknown.
class Scores {
 public:
  const std::optional<Value>& at(Metric metric) const {
    return values_[static_cast<std::size_t>(metric)];
  }
  void set(Metric metric, const Value& value) { values_[static_cast<std::size_t>(metric)] = value; }

 private:
  std::array<std::optional<Value>, kMetrics> values_;
};

// ---- seeds

// The mean over seeds, with the spread between them if there are several. The order of the seeds
// changes no bit of it.
store::StudyValue joined(std::vector<std::pair<std::uint64_t, store::StudyValue>> by_seed);
// Joins each value of several evaluations that differ in their seed.
std::map<std::string, store::StudyValue> joined(const std::vector<store::Evaluation>& evaluations);
// Sets the scores of those values that are metrics.
void add_scores(const std::map<std::string, store::StudyValue>& values, Scores& scores,
                bool is_elsewhere = false);

// ---- fronts

// Whether all objectives are known and finite.
bool has_all(const Scores& scores, std::span<const Metric> objectives);
// Whether `a` is no worse than `b` in any objective and better in one. A candidate that lacks an
// objective neither dominates nor is dominated, and an estimate is compared only with estimates.
bool dominates(const Scores& a, const Scores& b, std::span<const Metric> objectives);
// The indices of the candidates that no other dominates, ordered by the first objective, the best
// first. Of several with equal values the first stands for all. A candidate that lacks an
// objective, or has it from another machine, is left out, and so is a null pointer.
std::vector<std::size_t> pareto_front(std::span<const Scores* const> candidates,
                                      std::span<const Metric> objectives);
std::vector<std::size_t> pareto_front(std::span<const Scores> candidates,
                                      std::span<const Metric> objectives);
// The Pareto front, then the front of the rest, and so on, until `count` candidates are there.
std::vector<std::size_t> best_by_fronts(std::span<const Scores* const> candidates,
                                        std::span<const Metric> objectives, std::size_t count);

// ---- the best

// Whether `a` is cheaper than `b`: it has less latency. A measured latency comes before an
// estimated one, and both before an unknown one; without any latency MACs decide. The best
// candidate of a study is the cheapest that was fully trained and is within all limits (best.h).
bool is_cheaper(const Scores& a, const Scores& b);

// ---- trainings

// Epochs that the accuracy or perplexity of a candidate was measured after; nothing: neither is
// known from a training.
std::optional<double> epochs_of(const Scores& scores);

}  // namespace cambium::study
