#include "engine/search/setup.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "data/spec.h"
#include "engine/ranges.h"
#include "engine/search/evaluators.h"
#include "engine/search/fields.h"

namespace cambium::engine {
namespace {

using nlohmann::json;

// Options are part of every key, so they hold only settings that change results.
search::Stage training_stage(const SearchSetup& setup, bool is_brief) {
  search::Stage stage;
  stage.evaluator = kAccuracy;
  json options = {{"recipe", setup.recipe}, {"set", object_of(setup.settings)}};
  options["stopping"] = is_brief ? setup.stopping : "none";
  if (!is_brief) {
    options["keep"] = 1;
    options["test"] = 1;
  }
  stage.options = json_text(options);
  stage.fidelity = static_cast<double>(is_brief ? setup.brief_epochs : setup.epochs);
  if (!is_brief) {
    stage.seeds.clear();
    for (int i = 1; i <= setup.seeds; ++i) stage.seeds.push_back(static_cast<std::uint64_t>(i));
  }
  return stage;
}

search::Stage latency_stage(const SearchSetup& setup, bool is_brief) {
  search::Stage stage;
  stage.evaluator = kLatency;
  stage.options = json_text({{"threads", setup.threads}});
  stage.fidelity = static_cast<double>(is_brief ? setup.brief_trials : setup.trials);
  return stage;
}

// Limits do not refuse estimates, and a sum of kernels is only an estimate of the latency. So a
// share of the original's latency is a gate here.
search::Stage kernel_sum_stage(const SearchSetup& setup) {
  search::Stage stage = latency_stage(setup, true);
  stage.evaluator = kKernelSum;
  for (const study::LimitText& limit : setup.limits) {
    if (limit.metric != study::Metric::Latency || !limit.is_relative()) continue;
    study::Scores original;
    original.set(study::Metric::Latency, {1});
    const auto share = study::limit_of(limit.metric, limit.text, original);
    if (!share.ok()) continue;  // the driver refuses it
    search::Gate gate;
    gate.value = kKernelSumValue;
    gate.most = share->bound;
    stage.gates.push_back(std::move(gate));
  }
  return stage;
}

// The last part of a setting's name: `cost` of `loopnest.cost`.
std::string_view part_of(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

// What the strategy `compose` was given for the setting. Nothing: it is not the strategy of any
// space.
std::optional<std::string> setting_of_compose(const search::StrategyOptions& strategy,
                                              std::string_view setting) {
  bool composes = strategy.name == "compose";
  std::optional<std::string> given;
  for (const auto& [name, value] : strategy.settings) {
    composes = composes || (part_of(name) == "strategy" && value == "compose");
    if (part_of(name) == setting) given = value;
  }
  if (!composes || given) return composes ? given : std::nullopt;
  for (const SettingInfo& each : search::strategy_settings("compose")) {
    if (each.name == setting) return each.standard;
  }
  return std::nullopt;
}

// If the user asked for no verdict, the strategy `compose` still needs the change; its own setting
// says which change is enough.
search::Stage legality_stage(const SearchSetup& setup) {
  const bool is_asked = setup.legality != "none";
  search::Stage stage;
  stage.evaluator = kLegality;
  stage.options = json_text({{"of", is_asked ? setup.legality : "total"},
                             {"hooks", setup.legality_hooks},
                             {"most_draws", setup.legality_draws}});
  search::Gate gate;
  gate.is_relative = false;
  gate.value = is_asked ? "legal" : name_of(study::Metric::FisherChange);
  gate.least = 0;  // legal: -1 means illegal
  if (!is_asked) {
    const auto least = setting_of_compose(setup.strategy, "least-gain");
    // The strategy refuses what is no number.
    if (const auto number = parse_double(least.value_or("")); number.ok()) gate.least = *number;
  }
  stage.gates.push_back(std::move(gate));
  return stage;
}

}  // namespace

bool SearchSetup::sums_kernels() const {
  return quick_latency == "kernels" || setting_of_compose(strategy, "cost") == kKernelSumValue;
}

bool SearchSetup::judges_legality() const {
  return legality != "none" ||
         setting_of_compose(strategy, "gain") == name_of(study::Metric::FisherChange);
}

search::Funnel SearchSetup::funnel() const {
  search::Funnel funnel;
  if (!proxy.empty()) {
    search::Stage stage;
    stage.evaluator = kProxy;
    stage.options = json_text({{"proxy", proxy}});
    stage.gates.push_back({proxy, least_proxy, search::Gate{}.most, true});
    funnel.explore.push_back(std::move(stage));
  }
  if (judges_legality()) funnel.explore.push_back(legality_stage(*this));
  funnel.explore.push_back(sums_kernels() ? kernel_sum_stage(*this) : latency_stage(*this, true));
  if (brief_epochs > 0) funnel.explore.push_back(training_stage(*this, true));
  funnel.finals = {training_stage(*this, false), latency_stage(*this, false)};
  funnel.finalists = finalists;
  funnel.limits = limits;
  funnel.objectives = objectives;
  return funnel;
}

std::vector<study::Metric> usual_objectives(const std::string& data) {
  const auto spec = data::parse_spec(data);  // an unknown data set is refused when it is opened
  const bool is_text = spec.ok() && spec->name == data::DataName::Text;
  return {is_text ? study::Metric::Perplexity : study::Metric::Accuracy, study::Metric::Latency};
}

json json_of(const SearchSetup& setup) {
  json objectives = json::array(), limits = json::array();
  for (const study::Metric metric : setup.objectives) objectives.push_back(name_of(metric));
  for (const study::LimitText& limit : setup.limits) {
    limits.push_back(
        {{"metric", name_of(limit.metric)}, {"text", limit.text}, {"drop", limit.is_drop}});
  }
  const search::StrategyOptions& strategy = setup.strategy;
  return {{"model", setup.model},
          {"bind", object_of(setup.bind)},
          {"data", setup.data},
          {"spaces", json_of(setup.spaces)},
          {"strategy",
           {{"name", strategy.name},
            {"seed", strategy.seed},
            {"in_flight", strategy.in_flight},
            {"settings", object_of(strategy.settings)}}},
          {"reward", search::json_of(setup.reward)},
          {"objectives", objectives},
          {"limits", limits},
          {"tries", setup.tries},
          {"recipe", setup.recipe},
          {"settings", object_of(setup.settings)},
          {"stopping", setup.stopping},
          {"brief_epochs", setup.brief_epochs},
          {"epochs", setup.epochs},
          {"seeds", setup.seeds},
          {"finalists", setup.finalists},
          {"proxy", setup.proxy},
          {"least_proxy", setup.least_proxy},
          {"legality", setup.legality},
          {"legality_hooks", setup.legality_hooks},
          {"legality_draws", setup.legality_draws},
          {"quick_latency", setup.quick_latency},
          {"brief_trials", setup.brief_trials},
          {"trials", setup.trials},
          {"threads", setup.threads}};
}

std::string to_json(const SearchSetup& setup) {
  return json_text(json_of(setup));
}

namespace {

Status read_strategy(const json& object, search::StrategyOptions& strategy) {
  return Fields(object)
      .take("name", strategy.name)
      .take("seed", strategy.seed)
      .take("in_flight", strategy.in_flight, ranges::kInFlight)
      .take("settings", strategy.settings)
      .status();
}

Result<study::Metric> metric_of(const json& name) {
  if (name.is_string()) {
    if (const auto metric = study::metric_named(name.get<std::string>())) return *metric;
  }
  return Rejection(Reason::MissingField, "metric", "a known metric");
}

Status read_limits(const json& limits, std::vector<study::LimitText>& into) {
  for (const json& each : limits) {
    study::LimitText limit;
    Fields reader(each);
    const json* const metric = reader.find("metric");
    CAMBIUM_REQUIRE(reader.take("text", limit.text).take("drop", limit.is_drop).status());
    CAMBIUM_TRY(limit.metric, metric_of(*metric));
    into.push_back(std::move(limit));
  }
  return Ok{};
}

}  // namespace

namespace {

template <std::size_t kCount>
Status check_choice(const char* name, const std::string& choice,
                    const char* const (&choices)[kCount]) {
  if (std::find(std::begin(choices), std::end(choices), choice) != std::end(choices)) return Ok{};
  return Rejection(Reason::BadOption, fmt::format("'{}'", name),
                   fmt::format("'{}' is none of {}", choice, fmt::join(choices, ", ")));
}

// What studies of older versions lack.
Status read_newer(const json& object, SearchSetup& setup) {
  Fields reader(object);
  if (object.contains("legality")) reader.take("legality", setup.legality);
  if (object.contains("legality_hooks")) reader.take("legality_hooks", setup.legality_hooks);
  if (object.contains("legality_draws")) {
    reader.take("legality_draws", setup.legality_draws, ranges::kDraws);
  }
  if (object.contains("quick_latency")) reader.take("quick_latency", setup.quick_latency);
  CAMBIUM_REQUIRE(reader.status());
  CAMBIUM_REQUIRE(check_choice("legality", setup.legality, kLegalities));
  CAMBIUM_REQUIRE(check_choice("legality_hooks", setup.legality_hooks, kLegalityHooks));
  return check_choice("quick_latency", setup.quick_latency, kQuickLatencies);
}

}  // namespace

Result<SearchSetup> parse_setup(const std::string& text) {
  CAMBIUM_TRY(const json object, parse_json(text));
  SearchSetup setup;
  Fields reader(object);
  reader.take("model", setup.model)
      .take("bind", setup.bind)
      .take("data", setup.data)
      .take("recipe", setup.recipe)
      .take("settings", setup.settings)
      .take("stopping", setup.stopping)
      .take("brief_epochs", setup.brief_epochs, ranges::kBriefEpochs)
      .take("epochs", setup.epochs, ranges::kEpochs)
      .take("seeds", setup.seeds, ranges::kSeeds)
      .take("finalists", setup.finalists, ranges::kFinalists)
      .take("proxy", setup.proxy)
      .take("least_proxy", setup.least_proxy, ranges::kShare)
      .take("brief_trials", setup.brief_trials, ranges::kTrials)
      .take("trials", setup.trials, ranges::kTrials)
      .take("threads", setup.threads, ranges::kThreads);
  const json* const spaces = reader.find("spaces");
  const json* const strategy = reader.find("strategy");
  const json* const reward = reader.find("reward");
  const json* const limits = reader.find_array("limits");
  const json* const objectives = reader.find_array("objectives");
  const json* const tries = reader.find_array("tries");
  CAMBIUM_REQUIRE(reader.status());
  CAMBIUM_REQUIRE(read_newer(object, setup));
  CAMBIUM_TRY(setup.spaces, read_space_settings(*spaces));
  CAMBIUM_REQUIRE(read_strategy(*strategy, setup.strategy));
  CAMBIUM_TRY(setup.reward, search::read_reward(*reward));
  CAMBIUM_REQUIRE(read_limits(*limits, setup.limits));
  for (const json& each : *tries) {
    if (!each.is_string()) return Rejection(Reason::MissingField, "tries", "an array of strings");
    setup.tries.push_back(each.get<std::string>());
  }
  setup.objectives.clear();
  for (const json& each : *objectives) {
    CAMBIUM_TRY(const study::Metric metric, metric_of(each));
    setup.objectives.push_back(metric);
  }
  return setup;
}

}  // namespace cambium::engine
