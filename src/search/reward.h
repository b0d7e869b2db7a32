// Reward: one number of what is known of a candidate, for strategies that want one. At least 0, and
// 0 for what is worthless or not measured far enough. Refuses BadOption. Called by the driver.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "search/metric.h"

namespace cambium::search {

struct RewardOptions {
  // Of the accuracy, or where that is relative of its share of the original's:
  // accuracy: ((accuracy - low) / (high - low))^power, and 1 from `high` on.
  // ratio:    the accuracy itself as long as it is below `least`, the accuracy that counts as kept;
  //           from there on least + (1 - least) * (1 - cost / (most * cost of the original)).
  enum class Kind : std::uint8_t { Accuracy, Ratio };
  Kind kind = Kind::Accuracy;
  bool is_relative = true;
  double low = 0, high = 1;
  int power = 4;
  double least = 0.8;
  double most = 1;                // times the original: what costs more earns no more than `least`
  Metric cost = Metric::Latency;  // of the ratio; MACs where a candidate lacks it

  friend bool operator==(const RewardOptions&, const RewardOptions&) = default;
};

// JSON, as a study keeps it. Absent fields have their defaults; refuses BadSyntax, MissingField (a
// field of another type) and BadOption (a field that is none, numbers that make no sense).
std::string to_json(const RewardOptions& options);
Result<RewardOptions> parse_reward(std::string_view json);
Status check(const RewardOptions& options);

// With perplexity in the place of accuracy where that is what is measured: as the accuracy
// 1 / perplexity, the mean chance of the right word.
double reward_of(const RewardOptions& options, const Scores& scores, const Scores& original);

}  // namespace cambium::search
