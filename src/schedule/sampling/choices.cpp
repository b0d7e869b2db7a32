#include "schedule/sampling/choices.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cambium::schedule {
namespace {

constexpr std::int64_t kLargestWeight = std::int64_t{1} << 32;
constexpr std::size_t kMostOptions = 1 << 16;  // of weights up to that, the sum is exact

}  // namespace

Status check_choice(const std::string& key, std::size_t options, const Ints& weights,
                    std::int64_t choice) {
  if (options == 0 || options > kMostOptions) {
    return Rejection(Reason::BadDecision, key, "there must be 1 to 65536 options");
  }
  if (!weights.empty()) {
    if (weights.size() != options) {
      return Rejection(Reason::BadDecision, key, "every option needs a weight, or none has one");
    }
    bool any = false;
    for (const std::int64_t weight : weights) {
      if (weight < 0 || weight > kLargestWeight) {
        return Rejection(Reason::BadDecision, key, "a weight is outside 0..2^32");
      }
      any = any || weight > 0;
    }
    if (!any) return Rejection(Reason::BadDecision, key, "no option has a weight above 0");
  }
  if (choice < 0 || choice >= static_cast<std::int64_t>(options)) {
    return Rejection(Reason::BadDecision, key,
                     "option " + std::to_string(choice) + " of " + std::to_string(options));
  }
  return Ok{};
}

std::int64_t draw_choice(Rng& rng, std::size_t options, const Ints& weights) {
  if (weights.empty()) return static_cast<std::int64_t>(rng.below(options));
  std::uint64_t total = 0;
  for (const std::int64_t weight : weights) total += static_cast<std::uint64_t>(weight);
  std::uint64_t at = rng.below(total);
  std::int64_t i = 0;
  for (const std::int64_t weight : weights) {
    if (at < static_cast<std::uint64_t>(weight)) break;
    at -= static_cast<std::uint64_t>(weight);
    ++i;
  }
  return i;
}

std::int64_t snap_choice(const Names& options, const std::string& text, std::int64_t position) {
  const auto found = std::find(options.begin(), options.end(), text);
  if (found != options.end()) return found - options.begin();
  const auto last = static_cast<std::int64_t>(options.size()) - 1;
  const std::int64_t same = std::clamp<std::int64_t>(position, 0, last);
  const auto wanted = number_of(text);
  if (!wanted) return same;
  std::int64_t best = 0;
  double least = INFINITY;
  for (std::int64_t i = 0; i <= last; ++i) {
    const auto number = number_of(options[static_cast<std::size_t>(i)]);
    if (!number) return same;
    const double ratio = ratio_of(*number, *wanted);
    if (ratio < least) {
      least = ratio;
      best = i;
    }
  }
  return best;
}

bool is_drawable(const Ints& weights, std::int64_t choice) {
  return weights.empty() || weights[static_cast<std::size_t>(choice)] > 0;
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value <= 0) return std::nullopt;
  return value;
}

double ratio_of(std::int64_t a, std::int64_t b) {
  return static_cast<double>(std::max(a, b)) / static_cast<double>(std::min(a, b));
}

}  // namespace cambium::schedule
