// Metrics: what a candidate is judged by, objectives over them and limits that users set. Refuses
// BadOption for a limit that cannot be read. Used by strategies, the funnel and reports.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cambium::search {

// Memory is what weights and the most activations at once take; Activations are all that one pass
// makes, with what rewritten places are made of as standard operators: what training moves.
enum class Metric : std::uint8_t {
  Accuracy,
  Perplexity,
  Latency,
  Macs,
  Parameters,
  Memory,
  Activations
};
inline constexpr std::size_t kMetrics = 7;

std::string_view name_of(Metric metric);  // "accuracy", as the study spells it
std::optional<Metric> metric_named(std::string_view name);
bool more_is_better(Metric metric);
std::string text_of(Metric metric, double value);  // "93.10 %", "2.41 ms", "1.20 G"

struct Value {
  double value = 0;
  double spread = 0;
  bool is_estimate = false;
};

// What is known of a candidate so far: any part may be missing.
class Scores {
 public:
  const std::optional<Value>& at(Metric metric) const {
    return values_[static_cast<std::size_t>(metric)];
  }
  void set(Metric metric, const Value& value) { values_[static_cast<std::size_t>(metric)] = value; }

 private:
  std::array<std::optional<Value>, kMetrics> values_;
};

// A bound on a metric: at most, for accuracy at least.
struct Limit {
  Metric metric = Metric::Macs;
  double bound = 0;  // absolute, in the metric's own unit: seconds, a share of 1, a count

  bool holds(double value) const {
    return more_is_better(metric) ? value >= bound : value <= bound;
  }
};

// `text` as on a command line: `0.5x` of the original, `3ms`, `2e9`, `1.5 G`, `64MiB`, `92%`.
// Refuses what cannot be read, and a share of a metric that the original lacks.
Result<Limit> limit_of(Metric metric, std::string_view text, const Scores& original);
// `--max-accuracy-drop 1%`: accuracy at least the original's minus one percentage point.
Result<Limit> accuracy_drop(std::string_view text, const Scores& original);

// ---- fronts

// Whether `a` is nowhere worse than `b` and somewhere better, over these metrics; what lacks one of
// them neither dominates nor is dominated, and an estimate is not held against a measurement.
bool dominates(const Scores& a, const Scores& b, std::span<const Metric> objectives);
// Indices of those that nothing dominates, ordered by the first objective, the best first. Of
// equals the first stands for all; what lacks an objective is left out.
std::vector<std::size_t> pareto_front(std::span<const Scores> scores,
                                      std::span<const Metric> objectives);

}  // namespace cambium::search
