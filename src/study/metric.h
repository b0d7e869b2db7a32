// Metrics: the values that candidates are judged by. One table says what each metric is called, in
// which unit it is written, which direction is better and which evaluator measures it. Refuses
// nothing: an unknown name is a value that is listed and never compared. Used by everything that
// reads studies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cambium::study {

// Memory: weights and the largest set of activations that exist at once. FisherChange: Fisher
// Potential of the network as a share of the original's, less 1; it is known without a training.
// Activations: all activations of one pass, in the form that is trained.
enum class Metric : std::uint8_t {
  Accuracy,
  Perplexity,
  Latency,
  Macs,
  Parameters,
  Memory,
  FisherChange,
  Activations
};
inline constexpr std::size_t kMetrics = 8;
inline constexpr std::array<Metric, kMetrics> kAllMetrics = {
    Metric::Accuracy,   Metric::Perplexity, Metric::Latency,      Metric::Macs,
    Metric::Parameters, Metric::Memory,     Metric::FisherChange, Metric::Activations};

// Names of evaluators, as studies spell them.
inline constexpr const char* kAccuracyEvaluator = "accuracy";
inline constexpr const char* kLatencyEvaluator = "latency";
inline constexpr const char* kLegalityEvaluator = "legality";
inline constexpr const char* kCostEvaluator = "cost";
// The limits and gates of a search. It measures nothing; studies hold what it refuses.
inline constexpr const char* kFunnelEvaluator = "funnel";

enum class Unit : std::uint8_t { Plain, Share, Seconds, Count, Bytes };
std::string_view name_of(Unit unit);  // "share"

struct MetricInfo {
  std::string_view name;   // as studies spell it: "macs"
  std::string_view label;  // for headings: "MACs"
  Unit unit;
  bool more_is_better;
  std::string_view evaluator;  // that measures it
};
const MetricInfo& info_of(Metric metric);

std::string_view name_of(Metric metric);
std::optional<Metric> metric_named(std::string_view name);
std::string metric_names();  // of all, for help texts and refusals: "accuracy, perplexity, ..."
bool more_is_better(Metric metric);
// Whether `a` is better than `b`, and not equal to it.
bool is_better(Metric metric, double a, double b);
// Accuracy and perplexity: their value depends on how long the candidate was trained.
bool is_of_training(Metric metric);
// Whether it says what a candidate is worth; all others say what it costs.
bool is_worth(Metric metric);

// Also of the values that studies hold beside metrics: "test_accuracy", "native_memory".
Unit unit_of(std::string_view name);
// The values that are no metric. A test of the registry of evaluators (engine) compares them with
// what its rows answer.
struct OtherValue {
  std::string_view name;
  Unit unit;
};
std::span<const OtherValue> other_values();

std::string text_of(Metric metric, double value);  // "93.10 %", "2.41 ms", "1.20 G"

}  // namespace cambium::study
