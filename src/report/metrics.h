// The metrics that pages show, under the names that studies use, and how their values are written
// for people. Refuses nothing: a name that is not here is a value that pages list and do not plot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cambium::report {

enum class Metric : std::uint8_t { Accuracy, Perplexity, Latency, Macs, Parameters, Memory };
inline constexpr std::size_t kMetrics = 6;
inline constexpr std::array<Metric, kMetrics> kAllMetrics = {Metric::Accuracy,   Metric::Perplexity,
                                                             Metric::Latency,    Metric::Macs,
                                                             Metric::Parameters, Metric::Memory};
// What a network costs; the others say how good it is.
inline constexpr std::array<Metric, 4> kCosts = {Metric::Latency, Metric::Macs, Metric::Parameters,
                                                 Metric::Memory};

struct MetricInfo {
  std::string_view name;   // as studies spell it
  std::string_view label;  // for headings
  std::string_view unit;   // how a value is written: share, seconds, count, bytes, plain
  bool more_is_better;
};
const MetricInfo& info_of(Metric metric);
std::optional<Metric> metric_named(std::string_view name);
bool better(Metric metric, double a, double b);  // strictly

std::string text_of(Metric metric, double value);  // "93.12 %", "2.41 ms", "1.20 G"
// Of any name that a study has: `test_accuracy`, `native_memory`; what is unknown is a plain
// number.
std::string text_of(std::string_view name, double value);
// Against the original: "−0.42 points" of a share, "0.49×" of anything else.
std::string against(Metric metric, double value, double original);
// Of a spread as studies have it, relative: "±0.12 points" of a share, "±1.2 %" of anything else;
// empty for none.
std::string spread_text(Metric metric, double value, double spread);
std::string spread_text(std::string_view name, double value, double spread);
std::string plain_number(double value);     // six digits, no trailing zeros
std::string duration_text(double seconds);  // "12 s", "41 min", "3 h 20 min"

}  // namespace cambium::report
