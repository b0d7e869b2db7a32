// What a user asks of a search, as plain data: model, data, spaces, strategy, funnel and budgets. A
// study keeps it as JSON, so that going on needs the file alone.
// Refuses MissingField, and BadOption for numbers that are out of their ranges (engine/ranges.h).
// Made by `cambium search`.
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
  std::vector<std::pair<std::string, std::string>> bind;  // sizes of it, by name
  std::string data;                                       // as src/data/spec.h spells data sets
  std::vector<SpaceSetting> spaces;
  search::StrategyOptions strategy;
  search::RewardOptions reward;
  std::vector<search::Metric> objectives = {search::Metric::Accuracy, search::Metric::Latency};
  std::vector<search::LimitText> limits;
  std::vector<std::string> tries;  // documents or names, as a space reads them

  // Training: briefly for all, fully for the best.
  std::string recipe;
  std::vector<std::pair<std::string, std::string>> settings;  // what differs from the recipe
  std::string stopping = "none";                              // of the brief trainings
  std::int64_t brief_epochs = 2, epochs = 10;
  int seeds = 1;  // of the full trainings
  int finalists = 5;
  // A measure without training before the brief one; empty: none.
  std::string proxy;
  double least_proxy = 0.5;  // share of the original's
  // Native code: trials of tuning per kernel.
  std::int64_t brief_trials = 0, trials = 64;
  int threads = 1;

  search::Funnel funnel() const;
};

// What the front is made of without a word: a text has a perplexity, and no accuracy.
std::vector<search::Metric> usual_objectives(const std::string& data);

nlohmann::json json_of(const SearchSetup& setup);
std::string to_json(const SearchSetup& setup);
Result<SearchSetup> parse_setup(const std::string& json);

}  // namespace cambium::engine
