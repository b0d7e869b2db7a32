#include "study/limit.h"

#include <algorithm>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "base/text.h"

namespace cambium::study {
namespace {

// As a limit may be written.
struct Suffix {
  std::string_view text;
  double factor;
};
constexpr Suffix kTimes[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}};
constexpr Suffix kBytes[] = {{"KiB", 1024.}, {"MiB", 1024. * 1024}, {"GiB", 1024. * 1024 * 1024},
                             {"kB", 1e3},    {"MB", 1e6},           {"GB", 1e9},
                             {"B", 1}};
constexpr Suffix kCounts[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
constexpr Suffix kShares[] = {{"%", 1e-2}};

std::span<const Suffix> suffixes_of(Metric metric) {
  switch (info_of(metric).unit) {
    case Unit::Plain: return {};
    case Unit::Share: return kShares;
    case Unit::Seconds: return kTimes;
    case Unit::Count: return kCounts;
    case Unit::Bytes: return kBytes;
  }
  return {};
}

Rejection unreadable(Metric metric, std::string_view text) {
  std::string units;
  for (const Suffix& suffix : suffixes_of(metric)) units += fmt::format(", {}", suffix.text);
  return Rejection(Reason::BadOption, fmt::format("'{}' as a limit of {}", text, name_of(metric)),
                   fmt::format("expected a positive number, alone or with one of: x{}", units));
}

Rejection lacks(Metric metric) {
  return Rejection(Reason::BadOption, fmt::format("a limit of {}", name_of(metric)),
                   "the limit is relative to the original, for which it is not known");
}

}  // namespace

Result<Limit> limit_of(Metric metric, std::string_view text, const Scores& original) {
  std::string_view number = trim(text);
  double factor = 1;
  if (number.ends_with('x')) {
    number.remove_suffix(1);
    if (!original.at(metric)) return lacks(metric);
    factor = original.at(metric)->value;
  } else {
    for (const Suffix& suffix : suffixes_of(metric)) {
      if (!number.ends_with(suffix.text)) continue;
      number.remove_suffix(suffix.text.size());
      factor = suffix.factor;
      break;
    }
  }
  const auto parsed = parse_double(trim(number));
  if (!parsed || *parsed <= 0) return unreadable(metric, text);
  return Limit{metric, *parsed * factor};
}

Result<Limit> accuracy_drop(std::string_view text, const Scores& original) {
  const auto& accuracy = original.at(Metric::Accuracy);
  if (!accuracy) return lacks(Metric::Accuracy);
  std::string_view number = trim(text);
  const bool is_percent = number.ends_with('%');
  if (is_percent) number.remove_suffix(1);
  const auto drop = parse_double(trim(number));
  if (!drop || *drop < 0) {
    return Rejection(Reason::BadOption, fmt::format("'{}' as a drop of accuracy", text),
                     "expected a percentage such as '1%' or a fraction such as '0.01'");
  }
  return Limit{Metric::Accuracy, accuracy->value - (is_percent ? *drop / 100 : *drop)};
}

bool LimitText::is_relative() const {
  return is_drop || (!text.empty() && (text.back() == 'x' || text.back() == '%'));
}

std::string text_of(const LimitText& limit) {
  if (limit.is_drop) {
    return fmt::format("{} at most {} below the original's", name_of(limit.metric), limit.text);
  }
  return fmt::format("{} at {} {}{}", name_of(limit.metric),
                     more_is_better(limit.metric) ? "least" : "most", limit.text,
                     limit.text.ends_with('x') ? " the original's" : "");
}

Result<std::vector<Limit>> limits_of(const std::vector<LimitText>& texts, const Scores& original,
                                     bool is_exploring) {
  std::vector<Limit> limits;
  for (const LimitText& text : texts) {
    const bool is_quality = is_of_training(text.metric);
    const bool is_measured = is_quality || text.metric == Metric::Latency;
    if (is_exploring && (is_quality || (is_measured && !text.is_relative()))) continue;
    if (text.is_relative() && !original.at(text.metric)) {
      // The original is not evaluated yet.
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

}  // namespace cambium::study
