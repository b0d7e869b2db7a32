#include "search/thresholds.h"

#include <cmath>

#include <fmt/format.h>

namespace cambium::search {
namespace {

// Half of a negative score (a logarithm) lies as far below the score as half of a positive score of
// the same size does.
double share_of(double score, double share) {
  return score > 0 ? share * score : (2 - share) * score;
}

}  // namespace

std::optional<Rejection> broken_limit(const std::vector<study::Limit>& limits,
                                      const study::Scores& scores) {
  for (const study::Limit& limit : limits) {
    const auto& value = scores.at(limit.metric);
    // Estimates refuse no candidate.
    if (!value || value->is_estimate || limit.holds(value->value)) continue;
    return Rejection(Reason::OverBudget, std::string(name_of(limit.metric)),
                     fmt::format("{}, the limit is {}", text_of(limit.metric, value->value),
                                 text_of(limit.metric, limit.bound)));
  }
  return std::nullopt;
}

std::optional<Rejection> closed_gate(const Stage& stage, const StageValues& own,
                                     const StageValues& original) {
  for (const Gate& gate : stage.gates) {
    const auto value = own.find(gate.value);
    const auto reference = original.find(gate.value);
    if (value == own.end() || (gate.is_relative && reference == original.end())) continue;
    const double unit = gate.is_relative ? reference->second : 1;
    // A share of 0 says nothing.
    if (unit == 0 || std::isnan(unit)) continue;
    const double least = share_of(unit, gate.least), most = share_of(unit, gate.most);
    if (value->second >= least && value->second <= most) continue;
    return Rejection(
        Reason::NotPromising, gate.value,
        fmt::format("{:.4g} is not in the range {:.4g} to {:.4g}", value->second, least, most));
  }
  return std::nullopt;
}

}  // namespace cambium::search
