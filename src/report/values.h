// How pages write values: with three digits, a proper minus and the units that people use. Also
// which metrics pages show. Refuses nothing: an unknown value is written as a plain number.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "study/metric.h"

namespace cambium::report {

// In the order of study::Metric, without gaps: scripts count them.
inline constexpr std::array<study::Metric, 7> kShownMetrics = {
    study::Metric::Accuracy,    study::Metric::Perplexity, study::Metric::Latency,
    study::Metric::Macs,        study::Metric::Parameters, study::Metric::Memory,
    study::Metric::FisherChange};
bool is_shown(study::Metric metric);
// The metrics that say what a network costs; the others say how good it is.
inline constexpr std::array<study::Metric, 4> kCosts = {
    study::Metric::Latency, study::Metric::Macs, study::Metric::Parameters, study::Metric::Memory};

std::string page_text(study::Metric metric, double value);  // "93.12 %", "2.41 ms", "1.20 G"
// Of any value in a study, by its name: `test_accuracy`, `native_memory`.
std::string page_text(std::string_view name, double value);
// Against the original: "−0.42 points" of a share, "0.49×" of anything else.
std::string against(study::Metric metric, double value, double original);
// A relative spread: "±0.12 points" of a share, "±1.2 %" of anything else; empty for none.
std::string spread_text(study::Metric metric, double value, double spread);
std::string spread_text(std::string_view name, double value, double spread);
std::string plain_number(double value);     // six digits, no trailing zeros
std::string duration_text(double seconds);  // "12 s", "41 min", "3 h 20 min"

}  // namespace cambium::report
