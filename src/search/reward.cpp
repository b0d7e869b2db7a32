#include "search/reward.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cambium::search {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kKinds[] = {"accuracy", "ratio", "cost"};

std::optional<double> known(const study::Scores& scores, study::Metric metric) {
  const auto& value = scores.at(metric);
  if (!value || !std::isfinite(value->value)) return std::nullopt;
  return value->value;
}

std::optional<double> quality_of(const study::Scores& scores) {
  if (const auto accuracy = known(scores, study::Metric::Accuracy)) return accuracy;
  const auto perplexity = known(scores, study::Metric::Perplexity);
  if (!perplexity || *perplexity < 1) return std::nullopt;
  return 1 / *perplexity;
}

// Only whole powers: pow of libm differs in the last bit between machines.
double power_of(double base, int power) {
  double result = 1;
  for (int i = 0; i < power; ++i) result *= base;
  return result;
}

// The cost of the candidate divided by the original's. An estimate is never compared with a
// measurement: if only one of the two is an estimate, MACs decide.
std::optional<double> cost_ratio(study::Metric metric, const study::Scores& scores,
                                 const study::Scores& original) {
  for (const study::Metric each : {metric, study::Metric::Macs}) {
    const auto cost = known(scores, each), reference = known(original, each);
    if (!cost || !reference || *reference <= 0) continue;
    if (scores.at(each)->is_estimate == original.at(each)->is_estimate) return *cost / *reference;
  }
  return std::nullopt;
}

Result<double> number_of(const std::string& name, const Json& value) {
  if (!value.is_number()) return Rejection(Reason::MissingField, name, "a number");
  return value.get<double>();
}

Result<std::string> text_of(const std::string& name, const Json& value) {
  if (!value.is_string()) return Rejection(Reason::MissingField, name, "a text");
  return value.get<std::string>();
}

Status set_field(RewardOptions& options, const std::string& name, const Json& value) {
  if (name == "kind") {
    CAMBIUM_TRY(const std::string kind, text_of(name, value));
    const auto* found = std::find(std::begin(kKinds), std::end(kKinds), kind);
    if (found == std::end(kKinds)) {
      return Rejection(Reason::BadOption, "kind '" + kind + "'",
                       "expected accuracy, ratio or cost");
    }
    options.kind = static_cast<RewardOptions::Kind>(found - std::begin(kKinds));
  } else if (name == "cost") {
    CAMBIUM_TRY(const std::string cost, text_of(name, value));
    const auto metric = study::metric_named(cost);
    if (!metric) return Rejection(Reason::BadOption, "cost '" + cost + "'", "unknown metric");
    options.cost = *metric;
  } else if (name == "relative") {
    if (!value.is_boolean()) return Rejection(Reason::MissingField, name, "true or false");
    options.is_relative = value.get<bool>();
  } else if (name == "power") {
    if (!value.is_number_integer()) return Rejection(Reason::MissingField, name, "a whole number");
    options.power = static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), -1, 1000));
  } else {
    const std::pair<std::string_view, double*> reals[] = {{"low", &options.low},
                                                          {"high", &options.high},
                                                          {"least", &options.least},
                                                          {"most", &options.most}};
    for (const auto& [known_name, place] : reals) {
      if (name != known_name) continue;
      CAMBIUM_TRY(*place, number_of(name, value));
      return Ok{};
    }
    return Rejection(Reason::BadOption, "reward", "unknown field '" + name + "'");
  }
  return Ok{};
}

}  // namespace

Json json_of(const RewardOptions& options) {
  return Json{{"kind", kKinds[static_cast<std::size_t>(options.kind)]},
              {"relative", options.is_relative},
              {"low", options.low},
              {"high", options.high},
              {"power", options.power},
              {"least", options.least},
              {"most", options.most},
              {"cost", name_of(options.cost)}};
}

std::string to_json(const RewardOptions& options) {
  return json_text(json_of(options));
}

Result<RewardOptions> parse_reward(std::string_view text) {
  CAMBIUM_TRY(const Json json, parse_json(text));
  return read_reward(json);
}

Result<RewardOptions> read_reward(const Json& json) {
  if (!json.is_object()) return Rejection(Reason::MissingField, "reward", "an object");
  RewardOptions options;
  for (const auto& [name, value] : json.items()) {
    CAMBIUM_REQUIRE(set_field(options, name, value));
  }
  CAMBIUM_REQUIRE(check(options));
  return options;
}

Status check(const RewardOptions& options) {
  const auto refuse = [](const char* what) { return Rejection(Reason::BadOption, "reward", what); };
  if (!(options.low >= 0 && options.low < options.high && options.high <= 2)) {
    return refuse("low must be at least 0, below high, and high at most 2");
  }
  if (options.power < 1 || options.power > 100) return refuse("power must be from 1 to 100");
  if (!(options.least >= 0 && options.least < 1)) return refuse("least must be from 0, below 1");
  if (!(options.most > 0 && std::isfinite(options.most))) return refuse("most must be above 0");
  if (more_is_better(options.cost) || options.cost == study::Metric::Perplexity) {
    return refuse("cost must be latency, macs, parameters or memory");
  }
  return Ok{};
}

namespace {

double of_cost(const RewardOptions& options, const study::Scores& scores,
               const study::Scores& original) {
  const auto ratio = cost_ratio(options.cost, scores, original);
  if (!ratio) return options.least;
  return options.least + (1 - options.least) * std::max(0.0, 1 - *ratio / options.most);
}

}  // namespace

double reward_of(const RewardOptions& options, const study::Scores& scores,
                 const study::Scores& original) {
  if (options.kind == RewardOptions::Kind::Cost) return of_cost(options, scores, original);
  auto quality = quality_of(scores);
  if (!quality) return 0;
  if (options.is_relative) {
    const auto reference = quality_of(original);
    if (reference && *reference > 0) *quality /= *reference;
  }
  if (options.kind == RewardOptions::Kind::Accuracy) {
    const double share = (*quality - options.low) / (options.high - options.low);
    return power_of(std::clamp(share, 0.0, 1.0), options.power);
  }
  if (*quality < options.least) return std::max(0.0, *quality);
  return of_cost(options, scores, original);
}

}  // namespace cambium::search
