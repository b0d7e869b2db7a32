#include "engine/search/setup.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "data/spec.h"
#include "engine/ranges.h"
#include "engine/search/fields.h"

namespace cambium::engine {
namespace {

using nlohmann::json;

// Options are a part of the key of every evaluation: only what changes a result is in them.
search::Stage training_stage(const SearchSetup& setup, bool is_brief) {
  search::Stage stage;
  stage.evaluator = "accuracy";
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
  stage.evaluator = "latency";
  stage.options = json_text({{"threads", setup.threads}});
  stage.fidelity = static_cast<double>(is_brief ? setup.brief_trials : setup.trials);
  return stage;
}

}  // namespace

search::Funnel SearchSetup::funnel() const {
  search::Funnel funnel;
  if (!proxy.empty()) {
    search::Stage stage;
    stage.evaluator = "proxy";
    stage.options = json_text({{"proxy", proxy}});
    stage.gates.push_back({proxy, least_proxy, search::Gate{}.most, true});
    funnel.explore.push_back(std::move(stage));
  }
  funnel.explore.push_back(latency_stage(*this, true));
  funnel.explore.push_back(training_stage(*this, true));
  funnel.finals = {training_stage(*this, false), latency_stage(*this, false)};
  funnel.finalists = finalists;
  funnel.limits = limits;
  funnel.objectives = objectives;
  return funnel;
}

std::vector<search::Metric> usual_objectives(const std::string& data) {
  const auto spec = data::parse_spec(data);  // what is no data set is refused where it is opened
  const bool is_text = spec.ok() && spec->name == data::DataName::Text;
  return {is_text ? search::Metric::Perplexity : search::Metric::Accuracy, search::Metric::Latency};
}

json json_of(const SearchSetup& setup) {
  json objectives = json::array(), limits = json::array();
  for (const search::Metric metric : setup.objectives) objectives.push_back(name_of(metric));
  for (const search::LimitText& limit : setup.limits) {
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
          {"reward", json::parse(search::to_json(setup.reward))},
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

Result<search::Metric> metric_of(const json& name) {
  if (name.is_string()) {
    if (const auto metric = search::metric_named(name.get<std::string>())) return *metric;
  }
  return Rejection(Reason::MissingField, "metric", "one that is known");
}

Status read_limits(const json& limits, std::vector<search::LimitText>& into) {
  for (const json& each : limits) {
    search::LimitText limit;
    Fields reader(each);
    const json* const metric = reader.find("metric");
    CAMBIUM_REQUIRE(reader.take("text", limit.text).take("drop", limit.is_drop).status());
    CAMBIUM_TRY(limit.metric, metric_of(*metric));
    into.push_back(std::move(limit));
  }
  return Ok{};
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
      .take("brief_epochs", setup.brief_epochs, ranges::kEpochs)
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
  CAMBIUM_TRY(setup.spaces, parse_space_settings(json_text(*spaces)));
  CAMBIUM_REQUIRE(read_strategy(*strategy, setup.strategy));
  CAMBIUM_TRY(setup.reward, search::parse_reward(json_text(*reward)));
  CAMBIUM_REQUIRE(read_limits(*limits, setup.limits));
  for (const json& each : *tries) {
    if (!each.is_string()) return Rejection(Reason::MissingField, "tries", "an array of texts");
    setup.tries.push_back(each.get<std::string>());
  }
  setup.objectives.clear();
  for (const json& each : *objectives) {
    CAMBIUM_TRY(const search::Metric metric, metric_of(each));
    setup.objectives.push_back(metric);
  }
  return setup;
}

}  // namespace cambium::engine
