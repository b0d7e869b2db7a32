// Thresholds: the limits and gates that refuse a candidate of a search. They compare measured
// values, so the values of a refused candidate remain valid. Used by passages, and when a search
// reads the study.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/rejection.h"
#include "search/funnel.h"
#include "study/limit.h"

namespace cambium::search {

// The values of one stage, by name.
using StageValues = std::map<std::string, double>;

// The limits and references that candidates are compared with.
struct Yardstick {
  std::vector<study::Limit> limits;                    // absolute bounds
  const std::vector<StageValues>* original = nullptr;  // reference of the gates; null: no gates
};

// The first limit that the candidate exceeds. Estimates exceed none.
std::optional<Rejection> broken_limit(const std::vector<study::Limit>& limits,
                                      const study::Scores& scores);
// The first gate of the stage that its values do not pass.
std::optional<Rejection> closed_gate(const Stage& stage, const StageValues& own,
                                     const StageValues& original);

}  // namespace cambium::search
