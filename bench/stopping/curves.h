// Curves of trainings as lines of JSON, and replays of stopping rules on them. Rules learn from
// earlier curves, so the curves are replayed in many orders. Refuses BadRecord for a line that is
// not a curve. Called by cambium-bench-stopping.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "train/stopping.h"

namespace cambium::bench {

struct NamedCurve {
  std::string name;
  std::int64_t parameters = 0;
  std::string ending;  // of the training
  train::Curve scores;
};

std::string to_line(const NamedCurve& curve);  // with its end
// Curves shorter than the longest are left out, because their final score is unknown.
Result<std::vector<NamedCurve>> curves_in(std::string_view lines);

struct RuleOutcome {
  std::string rule;
  double stopped = 0;    // share of the curves
  double saved = 0;      // share of the epochs
  double good_lost = 0;  // share of the good ones
  double best_lost = 0;  // best score over all minus the best that survived, on average
};

// Good: the best `good_share` of the curves by their last score. Means over `orders`.
Result<RuleOutcome> outcome_of(std::string_view rule, const std::vector<NamedCurve>& curves,
                               double good_share, int orders, std::uint64_t seed);

}  // namespace cambium::bench
