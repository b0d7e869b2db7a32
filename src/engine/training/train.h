// Connects the parts of training: a data set by its name, a recipe with changed settings, the
// device, one training per seed, and the test split at the end if requested. Refuses what these
// parts refuse before anything is trained. A training that diverges is a result. A later failure
// does not lose finished trainings (TrainingReport::failed). Called by `cambium train`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "data/dataset.h"
#include "model/model.h"
#include "train/recipe_settings.h"
#include "train/trainer.h"

namespace cambium::engine {

struct TrainingOptions {
  std::string data;    // a data set as in src/data/spec.h
  std::string recipe;  // name; empty: the default for the kind of data
  std::vector<std::pair<std::string, std::string>> settings;  // changes to the recipe
  std::string device = "auto";
  int threads = 1;
  std::uint64_t seed = 1;
  int seeds = 1;     // number of trainings, with consecutive seeds
  int together = 1;  // trainings at a time, with `threads` each
  bool keeps_weights = false;
  std::string initialization;      // name; empty: the default for the kind of data
  bool zeroes_last_norms = false;  // train::InitializeOptions
  bool validates = true;           // false: trains on the validation split too
  bool tests = false;              // evaluates on the test split at the end
  double seconds = 0;              // per training; 0: no limit
  std::string checkpoint;          // with several seeds, one FILE.seedN each
  std::string stopping = "none";
  train::Curve reference;  // the original's curve, which the rule learns first; may be empty
  bool replays = true;     // this and the next: see train::TrainOptions
  bool traces = false;
};

struct TrainingReport;

struct TrainingHooks {
  std::function<void(std::uint64_t seed, const train::Progress&)> progress;
  // Called after all trainings and before the test split is evaluated, to save the weights.
  std::function<void(const TrainingReport&)> trained;
  const std::atomic<bool>* stop = nullptr;
};

struct SeedReport {
  std::uint64_t seed = 1;
  train::TrainReport training;
  std::optional<train::Quality> test;
};

struct Spread {
  double mean = 0, deviation = 0;  // of the samples, with n - 1; 0 for one sample
  double least = 0, most = 0;
};

struct TrainingReport {
  std::string data, recipe_name, device;
  train::Recipe recipe;
  std::string initialization;  // the one that was used; empty: weights were kept
  TrainingOptions options;
  bool is_text = false;
  std::vector<std::string> classes;  // of an image folder, which numbers classes by name
  std::vector<SeedReport> runs;
  std::optional<Spread> validation, test;  // top-1 over the seeds; for text, perplexity
  double seconds = 0;             // from the start of the first training to the end of the last
  double samples_per_second = 0;  // of all trainings together, over that time
  // The first failure after something had been trained: one of several trainings (`runs` has the
  // others), writing a checkpoint, or evaluating on the test split.
  std::optional<Rejection> failed;

  std::int64_t stopped() const;       // trainings that the stopping rule ended
  std::int64_t epochs_saved() const;  // by the stopping rule
  const SeedReport& best() const;     // the best on validation; without validation, the first
};

// Names of recipes with one line of help each.
std::vector<std::pair<std::string, std::string>> training_recipes();

Result<TrainingReport> train_model(const model::Model& model, const TrainingOptions& options,
                                   const TrainingHooks& hooks);
// With an open data set, so files are read once for many trainings.
Result<TrainingReport> train_model(const model::Model& model, const data::Dataset& data,
                                   const TrainingOptions& options, const TrainingHooks& hooks);
nlohmann::json to_json(const TrainingReport& report, const std::string& model);

Spread spread_of(const std::vector<double>& values);  // of at least one value

}  // namespace cambium::engine
