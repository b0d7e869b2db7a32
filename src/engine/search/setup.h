// Setup: what the user asks of a search, as plain data: model, data, spaces, strategy, funnel and
// budgets. A study keeps it as JSON, so that the file alone is enough to resume. Refuses
// MissingField, and BadOption for numbers out of range (engine/ranges.h). Made by `cambium search`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/search/spaces.h"
#include "search/funnel.h"
#include "search/reward.h"
#include "search/strategy.h"

namespace cambium::engine {

struct SearchSetup {
  std::string model;                                      // as `load_model` takes it
  std::vector<std::pair<std::string, std::string>> bind;  // its symbolic sizes, by name
  std::string data;                                       // as src/data/spec.h spells data sets
  std::vector<SpaceSetting> spaces;
  search::StrategyOptions strategy;
  search::RewardOptions reward;
  std::vector<study::Metric> objectives = {study::Metric::Accuracy, study::Metric::Latency};
  std::vector<study::LimitText> limits;
  std::vector<std::string> tries;  // documents or names, as a space reads them

  // All candidates are trained briefly (0 epochs: not at all), the best fully.
  std::string recipe;
  std::vector<std::pair<std::string, std::string>> settings;  // changes to the recipe
  std::string stopping = "none";                              // of the brief trainings
  std::int64_t brief_epochs = 2, epochs = 10;
  int seeds = 1;  // of the full trainings
  int finalists = 5;
  // A training-free score before the brief training; empty: none.
  std::string proxy;
  double least_proxy = 0.5;  // share of the score of the original
  // Whether Fisher Potential must not fall: that of the whole network (total), that of each changed
  // layer (layers), or none.
  std::string legality = "none";
  std::string legality_hooks = "convolutions";  // which values it scores (train/proxies.h)
  int legality_draws = 32;                      // most draws while a verdict is undecided
  // Trials of tuning, per kernel.
  std::int64_t brief_trials = 0, trials = 64;
  // How the latency is estimated while exploring: as the time of the whole model (model), or as the
  // sum of the times of its kernels (kernels).
  std::string quick_latency = "model";
  int threads = 1;

  // Whether exploring sums kernels, and whether it judges legality: the strategy `compose` asks for
  // both too.
  bool sums_kernels() const;
  bool judges_legality() const;
  search::Funnel funnel() const;
};

// The allowed values of these fields.
inline constexpr const char* kQuickLatencies[] = {"model", "kernels"};
inline constexpr const char* kLegalities[] = {"none", "total", "layers"};
inline constexpr const char* kLegalityHooks[] = {"convolutions", "activations", "block-outputs"};

// The default objectives: text has a perplexity and no accuracy.
std::vector<study::Metric> usual_objectives(const std::string& data);

nlohmann::json json_of(const SearchSetup& setup);
std::string to_json(const SearchSetup& setup);
Result<SearchSetup> parse_setup(const std::string& json);

}  // namespace cambium::engine
