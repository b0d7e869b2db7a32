#include "report/metrics.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace cambium::report {
namespace {

constexpr std::array<MetricInfo, kMetrics> kInfo = {{
    {"accuracy", "Accuracy", "share", true},
    {"perplexity", "Perplexity", "plain", false},
    {"latency", "Latency", "seconds", false},
    {"macs", "MACs", "count", false},
    {"parameters", "Parameters", "count", false},
    {"memory", "Memory", "bytes", false},
}};

// What studies hold beside metrics, and pages list.
constexpr std::pair<std::string_view, std::string_view> kOtherUnits[] = {
    {"test_accuracy", "share"}, {"native_memory", "bytes"}, {"activations", "bytes"}};

std::string_view unit_of(std::string_view name) {
  if (const auto metric = metric_named(name)) return info_of(*metric).unit;
  for (const auto& [other, unit] : kOtherUnits)
    if (other == name) return unit;
  return "plain";
}

std::string seconds_text(double seconds) {
  const double size = std::abs(seconds);
  if (size >= 1 || size == 0) return fmt::format("{:.3g} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (size >= 1e-6) return fmt::format("{:.3g} µs", seconds * 1e6);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

}  // namespace

const MetricInfo& info_of(Metric metric) {
  return kInfo[static_cast<std::size_t>(metric)];
}

std::optional<Metric> metric_named(std::string_view name) {
  for (const Metric metric : kAllMetrics)
    if (info_of(metric).name == name) return metric;
  return std::nullopt;
}

bool better(Metric metric, double a, double b) {
  return info_of(metric).more_is_better ? a > b : a < b;
}

std::string text_of(Metric metric, double value) {
  return text_of(info_of(metric).name, value);
}

std::string text_of(std::string_view name, double value) {
  if (!std::isfinite(value)) return "not a number";
  const std::string_view unit = unit_of(name);
  if (unit == "share") return fmt::format("{:.2f} %", value * 100);
  if (unit == "seconds") return seconds_text(value);
  if (unit == "count") return human_count(value);
  // A study may hold any number; those beyond 2^62 are no sizes of anything.
  if (unit == "bytes" && std::abs(value) < 4e18) return human_bytes(std::llround(value));
  return plain_number(value);
}

std::string against(Metric metric, double value, double original) {
  if (info_of(metric).unit == "share") {
    const double points = (value - original) * 100;
    if (std::abs(points) < 0.005) return "±0 points";
    return fmt::format("{}{:.2f} points", points < 0 ? "−" : "+", std::abs(points));
  }
  if (original == 0 || !std::isfinite(value / original)) return "";
  const double ratio = value / original;
  return ratio >= 0.1 ? fmt::format("{:.2f}×", ratio) : fmt::format("{:.2g}×", ratio);
}

std::string spread_text(Metric metric, double value, double spread) {
  return spread_text(info_of(metric).name, value, spread);
}

std::string spread_text(std::string_view name, double value, double spread) {
  if (!(spread > 0) || !std::isfinite(spread)) return "";
  if (unit_of(name) == "share") {
    return fmt::format("±{:.2f} points", std::abs(value) * spread * 100);
  }
  return fmt::format("±{:.2g} %", spread * 100);
}

std::string plain_number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  const auto minutes = static_cast<long long>(std::llround(seconds / 60));
  if (minutes < 120) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace cambium::report
