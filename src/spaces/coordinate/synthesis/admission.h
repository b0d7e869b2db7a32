// Admission of an operator outside a space: what must change of the limits and rules to admit it.
// Widens every limit and switches every rule off, then takes back each change that is not needed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/synthesis/limits.h"
#include "spaces/coordinate/synthesis/rules/rule_set.h"

namespace cambium::spaces::coordinate::synthesis {

// Each of these changes is needed.
struct Admission {
  std::vector<std::string> without;  // rules to switch off
  bool even_windows = false;
  std::optional<double> window_ratio;
  bool weight_free = false;
  std::vector<std::pair<LimitInfo, int>> limits;
  std::optional<int> coefficient_power;
  std::vector<std::pair<std::string, int>> occurrences;  // by the name of a variable
};

// Nothing if no change helps.
std::optional<Admission> admission_of(const Operator& op, const Problem& problem,
                                      const Limits& limits, const RuleSet& rules);

}  // namespace cambium::spaces::coordinate::synthesis
