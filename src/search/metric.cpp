#include "search/metric.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/text.h"

namespace cambium::search {
namespace {

constexpr std::string_view kNames[kMetrics] = {"accuracy",   "perplexity", "latency",    "macs",
                                               "parameters", "memory",     "activations"};

struct Unit {
  std::string_view text;
  double factor;
};
constexpr Unit kTimes[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}};
constexpr Unit kBytes[] = {{"KiB", 1024.}, {"MiB", 1024. * 1024}, {"GiB", 1024. * 1024 * 1024},
                           {"kB", 1e3},    {"MB", 1e6},           {"GB", 1e9},
                           {"B", 1}};
constexpr Unit kCounts[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
constexpr Unit kShares[] = {{"%", 1e-2}};

std::span<const Unit> units_of(Metric metric) {
  switch (metric) {
    case Metric::Accuracy: return kShares;
    case Metric::Perplexity: return {};
    case Metric::Latency: return kTimes;
    case Metric::Macs:
    case Metric::Parameters: return kCounts;
    case Metric::Memory:
    case Metric::Activations: return kBytes;
  }
  return {};
}

Rejection unreadable(Metric metric, std::string_view text) {
  std::string units;
  for (const Unit& unit : units_of(metric)) units += fmt::format(", {}", unit.text);
  return Rejection(Reason::BadOption, fmt::format("'{}' as a limit of {}", text, name_of(metric)),
                   fmt::format("expected a positive number, alone or with one of: x{}", units));
}

Rejection lacks(Metric metric) {
  return Rejection(Reason::BadOption, fmt::format("a limit of {}", name_of(metric)),
                   "it is relative to the original, of which this is not known");
}

// Higher is better.
double gain(const Scores& scores, Metric metric) {
  const double value = scores.at(metric)->value;
  return more_is_better(metric) ? value : -value;
}

bool has_all(const Scores& scores, std::span<const Metric> objectives) {
  return std::all_of(objectives.begin(), objectives.end(), [&](Metric metric) {
    return scores.at(metric) && std::isfinite(scores.at(metric)->value);
  });
}

// Whether each metric is measured in both or estimated in both.
bool are_alike(const Scores& a, const Scores& b, std::span<const Metric> objectives) {
  return std::all_of(objectives.begin(), objectives.end(), [&](Metric metric) {
    return a.at(metric)->is_estimate == b.at(metric)->is_estimate;
  });
}

}  // namespace

std::string_view name_of(Metric metric) {
  return kNames[static_cast<std::size_t>(metric)];
}

std::optional<Metric> metric_named(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Metric>(found - std::begin(kNames));
}

bool more_is_better(Metric metric) {
  return metric == Metric::Accuracy;
}

std::string text_of(Metric metric, double value) {
  switch (metric) {
    case Metric::Accuracy: return fmt::format("{:.2f} %", 100 * value);
    case Metric::Perplexity: return fmt::format("{:.2f}", value);
    case Metric::Latency:
      if (value >= 1) return fmt::format("{:.2f} s", value);
      if (value >= 1e-3) return fmt::format("{:.2f} ms", value * 1e3);
      return fmt::format("{:.2f} us", value * 1e6);
    case Metric::Macs:
    case Metric::Parameters: return human_count(value);
    case Metric::Memory:
    case Metric::Activations: return human_bytes(static_cast<std::int64_t>(value));
  }
  return {};
}

Result<Limit> limit_of(Metric metric, std::string_view text, const Scores& original) {
  std::string_view number = trim(text);
  double factor = 1;
  if (number.ends_with('x')) {
    number.remove_suffix(1);
    if (!original.at(metric)) return lacks(metric);
    factor = original.at(metric)->value;
  } else {
    for (const Unit& unit : units_of(metric)) {
      if (!number.ends_with(unit.text)) continue;
      number.remove_suffix(unit.text.size());
      factor = unit.factor;
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
                     "expected '1%', of a hundred, or '0.01', of one");
  }
  return Limit{Metric::Accuracy, accuracy->value - (is_percent ? *drop / 100 : *drop)};
}

bool dominates(const Scores& a, const Scores& b, std::span<const Metric> objectives) {
  if (!has_all(a, objectives) || !has_all(b, objectives)) return false;
  if (!are_alike(a, b, objectives)) return false;
  bool is_better = false;
  for (const Metric metric : objectives) {
    if (gain(a, metric) < gain(b, metric)) return false;
    is_better = is_better || gain(a, metric) > gain(b, metric);
  }
  return is_better;
}

std::vector<std::size_t> pareto_front(std::span<const Scores> scores,
                                      std::span<const Metric> objectives) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (has_all(scores[i], objectives)) order.push_back(i);
  }
  // Whatever dominates one, or equals it and came first, stands before it.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const Metric metric : objectives) {
      const double left = gain(scores[a], metric), right = gain(scores[b], metric);
      if (left != right) return left > right;
    }
    return a < b;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    const bool is_covered = std::any_of(front.begin(), front.end(), [&](std::size_t other) {
      return are_alike(scores[other], scores[i], objectives) &&
             std::all_of(objectives.begin(), objectives.end(), [&](Metric metric) {
               return gain(scores[other], metric) >= gain(scores[i], metric);
             });
    });
    if (!is_covered) front.push_back(i);
  }
  return front;
}

}  // namespace cambium::search
