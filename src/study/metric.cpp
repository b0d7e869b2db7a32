#include "study/metric.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"

namespace cambium::study {
namespace {

constexpr MetricInfo kInfo[kMetrics] = {
    {"accuracy", "Accuracy", Unit::Share, true, kAccuracyEvaluator},
    {"perplexity", "Perplexity", Unit::Plain, false, kAccuracyEvaluator},
    {"latency", "Latency", Unit::Seconds, false, kLatencyEvaluator},
    {"macs", "MACs", Unit::Count, false, kCostEvaluator},
    {"parameters", "Parameters", Unit::Count, false, kCostEvaluator},
    {"memory", "Memory", Unit::Bytes, false, kCostEvaluator},
    {"fisher_change", "Fisher change", Unit::Share, true, kLegalityEvaluator},
    {"activations", "Activations", Unit::Bytes, false, kCostEvaluator},
};

constexpr OtherValue kOthers[] = {
    {"test_accuracy", Unit::Share},  {"test_perplexity", Unit::Plain},
    {"speedup", Unit::Plain},        {"native_memory", Unit::Bytes},
    {"kernel_sum", Unit::Seconds},   {"legal", Unit::Plain},
    {"confidence", Unit::Plain},     {"changed_layers_change", Unit::Plain},
    {"fisher_total", Unit::Plain},   {"draws", Unit::Plain},
    {"changed_layers", Unit::Plain}, {"sensitive_layers", Unit::Plain},
};

constexpr std::string_view kUnitNames[] = {"plain", "share", "seconds", "count", "bytes"};

std::string seconds_text(double value) {
  if (value >= 1) return fmt::format("{:.2f} s", value);
  if (value >= 1e-3) return fmt::format("{:.2f} ms", value * 1e3);
  return fmt::format("{:.2f} us", value * 1e6);
}

}  // namespace

std::string_view name_of(Unit unit) {
  return kUnitNames[static_cast<std::size_t>(unit)];
}

const MetricInfo& info_of(Metric metric) {
  return kInfo[static_cast<std::size_t>(metric)];
}

std::string_view name_of(Metric metric) {
  return info_of(metric).name;
}

std::optional<Metric> metric_named(std::string_view name) {
  for (const Metric metric : kAllMetrics) {
    if (name_of(metric) == name) return metric;
  }
  return std::nullopt;
}

std::string metric_names() {
  std::vector<std::string> names;
  for (const Metric metric : kAllMetrics) names.emplace_back(name_of(metric));
  return join(names, ", ");
}

bool more_is_better(Metric metric) {
  return info_of(metric).more_is_better;
}

bool is_better(Metric metric, double a, double b) {
  return more_is_better(metric) ? a > b : a < b;
}

bool is_of_training(Metric metric) {
  return info_of(metric).evaluator == kAccuracyEvaluator;
}

bool is_worth(Metric metric) {
  return is_of_training(metric) || metric == Metric::FisherChange;
}

Unit unit_of(std::string_view name) {
  if (const auto metric = metric_named(name)) return info_of(*metric).unit;
  const auto* const found = std::find_if(std::begin(kOthers), std::end(kOthers),
                                         [&](const OtherValue& each) { return each.name == name; });
  return found == std::end(kOthers) ? Unit::Plain : found->unit;
}

std::span<const OtherValue> other_values() {
  return kOthers;
}

std::string text_of(Metric metric, double value) {
  switch (info_of(metric).unit) {
    case Unit::Plain: return fmt::format("{:.2f}", value);
    case Unit::Share: return fmt::format("{:.2f} %", 100 * value);
    case Unit::Seconds: return seconds_text(value);
    case Unit::Count: return human_count(value);
    case Unit::Bytes: return human_bytes(static_cast<std::int64_t>(value));
  }
  return {};
}

}  // namespace cambium::study
