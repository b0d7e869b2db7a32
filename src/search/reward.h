// Reward: one number for a candidate, for strategies that need one. It is at least 0; a worthless
// or unmeasured candidate earns 0. Refuses BadOption. Called by the driver.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "study/scores.h"

namespace cambium::search {

struct RewardOptions {
  // The accuracy may be relative to the original's.
  // accuracy: ((accuracy - low) / (high - low))^power, and 1 from `high` on.
  // ratio:    the accuracy itself while it is below `least`, the required accuracy; above it,
  //           least + (1 - least) * (1 - cost / (most * cost of the original)).
  // cost:     as `ratio` above the required accuracy, whatever the accuracy is. A search without
  //           brief trainings takes this one in place of the others.
  enum class Kind : std::uint8_t { Accuracy, Ratio, Cost };
  Kind kind = Kind::Accuracy;
  bool is_relative = true;
  double low = 0, high = 1;
  int power = 4;
  double least = 0.8;
  double most = 1;  // times the cost of the original; a costlier candidate earns `least`
  study::Metric cost = study::Metric::Latency;  // of the ratio; MACs if a candidate lacks it

  friend bool operator==(const RewardOptions&, const RewardOptions&) = default;
};

// JSON, as a study keeps it. Absent fields have their defaults. Refuses BadSyntax, MissingField (a
// field of another type) and BadOption (an unknown field, a number out of range).
std::string to_json(const RewardOptions& options);
nlohmann::json json_of(const RewardOptions& options);
Result<RewardOptions> parse_reward(std::string_view json);
Result<RewardOptions> read_reward(const nlohmann::json& json);
Status check(const RewardOptions& options);

// A measured perplexity counts as the accuracy 1 / perplexity, the mean probability of the right
// word.
double reward_of(const RewardOptions& options, const study::Scores& scores,
                 const study::Scores& original);

}  // namespace cambium::search
