#include "study/best.h"

#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace cambium::study {
namespace {

constexpr double kNear = 0.01;  // points of a share; of other values, a share of the original's

bool is_share(Metric quality) {
  return info_of(quality).unit == Unit::Share;
}

// Held by nobody if the original's quality is unknown.
Limit near_original(Metric quality, const Scores& original) {
  const auto& value = original.at(quality);
  if (!value) return {quality, std::numeric_limits<double>::quiet_NaN()};
  const double worse = more_is_better(quality) ? -kNear : kNear;
  return {quality, is_share(quality) ? value->value + worse : value->value * (1 + worse)};
}

std::string near_text(Metric quality) {
  return fmt::format("{} at most {} {} the original's", name_of(quality),
                     is_share(quality) ? "1 point" : "1 %",
                     more_is_better(quality) ? "below" : "above");
}

}  // namespace

Result<BestRule> BestRule::of(const std::vector<LimitText>& texts, const Scores& original,
                              Metric quality) {
  BestRule rule;
  CAMBIUM_TRY(rule.limits_, limits_of(texts, original, false));
  std::vector<std::string> words;
  for (const LimitText& text : texts) words.push_back(text_of(text));
  rule.is_default_ = texts.empty();
  if (rule.is_default_) {
    rule.limits_.push_back(near_original(quality, original));
    words.push_back(near_text(quality));
  }
  rule.text_ = join(words, ", ");
  rule.quality_ = quality;
  if (const auto& value = original.at(quality)) rule.fidelity_ = value->fidelity;
  return rule;
}

bool BestRule::allows(const Scores& candidate) const {
  const auto& quality = candidate.at(quality_);
  if (!quality || quality->is_estimate) return false;
  if (fidelity_ && quality->fidelity != *fidelity_) return false;
  return hold(limits_, candidate);
}

std::optional<std::size_t> BestRule::cheapest(std::span<const Scores* const> candidates,
                                              Metric cost) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i] == nullptr || !allows(*candidates[i])) continue;
    const auto& own = candidates[i]->at(cost);
    if (!own || own->is_estimate) continue;
    if (!best || is_better(cost, own->value, candidates[*best]->at(cost)->value)) best = i;
  }
  return best;
}

}  // namespace cambium::study
