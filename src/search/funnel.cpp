#include "search/funnel.h"

#include <algorithm>
#include <limits>

namespace cambium::search {

bool LimitText::is_relative() const {
  return is_drop || (!text.empty() && (text.back() == 'x' || text.back() == '%'));
}

Result<std::vector<Limit>> limits_of(const std::vector<LimitText>& texts, const Scores& original,
                                     bool is_exploring) {
  std::vector<Limit> limits;
  for (const LimitText& text : texts) {
    const bool is_quality = text.metric == Metric::Accuracy || text.metric == Metric::Perplexity;
    const bool is_measured = is_quality || text.metric == Metric::Latency;
    if (is_exploring && (is_quality || (is_measured && !text.is_relative()))) continue;
    if (text.is_relative() && !original.at(text.metric)) {
      // The original waits for it: nobody is excluded, and in the end nobody is said to hold it.
      const double nothing = std::numeric_limits<double>::quiet_NaN();
      if (!is_exploring) limits.push_back({text.metric, nothing});
      continue;
    }
    CAMBIUM_TRY(const Limit limit, text.is_drop ? accuracy_drop(text.text, original)
                                                : limit_of(text.metric, text.text, original));
    limits.push_back(limit);
  }
  return limits;
}

bool hold(const std::vector<Limit>& limits, const Scores& scores) {
  return std::all_of(limits.begin(), limits.end(), [&](const Limit& limit) {
    const auto& value = scores.at(limit.metric);
    return value && limit.holds(value->value);
  });
}

}  // namespace cambium::search
