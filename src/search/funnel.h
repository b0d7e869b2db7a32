// Funnel: the evaluations that a candidate passes, cheap ones first, and what ends its way. Plain
// data: order, thresholds and effort are the user's.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "search/metric.h"

namespace cambium::search {

// A threshold on a value that an evaluation gives, be it a metric or a proxy's score.
struct Gate {
  std::string value;  // "fisher"
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool is_relative = true;  // to what the original has at the same stage
};

struct Stage {
  std::string evaluator;       // "proxy", "latency", "accuracy"
  std::string options = "{}";  // JSON, canonical: a part of the key
  double fidelity = 0;
  std::vector<std::uint64_t> seeds = {1};  // one evaluation each, values averaged
  std::vector<Gate> gates;
};

// A bound as the user wrote it. Relative ones mean the original under the same evaluations.
struct LimitText {
  Metric metric = Metric::Macs;
  std::string text;      // "0.5x", "3ms", "2e9"
  bool is_drop = false;  // of accuracy: "1%" below the original

  bool is_relative() const;
};

// The limits against this original. While exploring, those that wait for the finals are left out.
// Refuses what cannot be read.
Result<std::vector<Limit>> limits_of(const std::vector<LimitText>& texts, const Scores& original,
                                     bool is_exploring);
bool hold(const std::vector<Limit>& limits, const Scores& scores);

struct Funnel {
  // Each candidate passes these; legality and cost come before them, always.
  std::vector<Stage> explore;
  // The best ones of those pass these in the end.
  std::vector<Stage> finals;
  int finalists = 5;
  std::vector<LimitText> limits;
  std::vector<Metric> objectives = {Metric::Accuracy, Metric::Latency};
};

}  // namespace cambium::search
