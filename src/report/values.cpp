#include "report/values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace cambium::report {
namespace {

using study::Metric;
using study::Unit;

std::string seconds_text(double seconds) {
  const double size = std::abs(seconds);
  if (size >= 1 || size == 0) return fmt::format("{:.3g} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (size >= 1e-6) return fmt::format("{:.3g} µs", seconds * 1e6);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

}  // namespace

bool is_shown(Metric metric) {
  return std::find(kShownMetrics.begin(), kShownMetrics.end(), metric) != kShownMetrics.end();
}

std::string page_text(Metric metric, double value) {
  return page_text(name_of(metric), value);
}

std::string page_text(std::string_view name, double value) {
  if (!std::isfinite(value)) return "not a number";
  const Unit unit = study::unit_of(name);
  if (unit == Unit::Share) return fmt::format("{:.2f} %", value * 100);
  if (unit == Unit::Seconds) return seconds_text(value);
  if (unit == Unit::Count) return human_count(value);
  // A study may hold any number, also one that no count of bytes can be.
  if (unit == Unit::Bytes && std::abs(value) < 4e18) return human_bytes(std::llround(value));
  return plain_number(value);
}

std::string against(Metric metric, double value, double original) {
  if (info_of(metric).unit == Unit::Share) {
    const double points = (value - original) * 100;
    if (std::abs(points) < 0.005) return "±0 points";
    return fmt::format("{}{:.2f} points", points < 0 ? "−" : "+", std::abs(points));
  }
  if (original == 0 || !std::isfinite(value / original)) return "";
  const double ratio = value / original;
  return ratio >= 0.1 ? fmt::format("{:.2f}×", ratio) : fmt::format("{:.2g}×", ratio);
}

std::string spread_text(Metric metric, double value, double spread) {
  return spread_text(name_of(metric), value, spread);
}

std::string spread_text(std::string_view name, double value, double spread) {
  if (!(spread > 0) || !std::isfinite(spread)) return "";
  if (study::unit_of(name) == Unit::Share) {
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
