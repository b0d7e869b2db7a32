// Training, wired up: a data set by its name, a recipe with what was changed in it, the device, one
// training per seed, the test split at the end where asked for. Refuses what these refuse before
// anything is trained; a training that diverges is a result. What fails after that does not take
// with it what was trained (TrainingReport::failed). Called by `cambium train`.
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
#include "train/trainer.h"

namespace cambium::engine {

struct TrainingOptions {
  std::string data;    // as src/data/spec.h spells data sets
  std::string recipe;  // by name; empty: the one for such data
  std::vector<std::pair<std::string, std::string>> settings;  // what differs from the recipe
  std::string device = "auto";
  int threads = 1;
  std::uint64_t seed = 1;
  int seeds = 1;     // trainings, with the seeds that follow
  int together = 1;  // of them at a time, with `threads` each
  bool keeps_weights = false;
  std::string initialization;      // of drawn weights, by name; empty: the usual one for such data
  bool zeroes_last_norms = false;  // train::InitializeOptions
  bool validates = true;           // false: trains on what validation would get too
  bool tests = false;              // judges on the test split at the end
  double seconds = 0;              // per training; 0: no limit
  std::string checkpoint;          // with several seeds, FILE.seedN each
  std::string stopping = "none";
  train::Curve reference;  // taught to that rule first: the original's; may be empty
  bool replays = true;     // train::TrainOptions has these two
  bool traces = false;
};

struct TrainingReport;

struct TrainingHooks {
  std::function<void(std::uint64_t seed, const train::Progress&)> progress;
  // Called when all are trained and before the test split is judged, to keep the weights.
  std::function<void(const TrainingReport&)> trained;
  const std::atomic<bool>* stop = nullptr;
};

struct SeedReport {
  std::uint64_t seed = 1;
  train::TrainReport training;
  std::optional<train::Quality> test;
};

struct Spread {
  double mean = 0, deviation = 0;  // of the samples, n - 1; 0 for one
  double least = 0, most = 0;
};

struct TrainingReport {
  std::string data, recipe_name, device;
  train::Recipe recipe;
  std::string initialization;  // as it was used; empty: weights were kept
  TrainingOptions options;
  bool is_text = false;
  std::vector<std::string> classes;  // of an image folder, which numbers them by name
  std::vector<SeedReport> runs;
  std::optional<Spread> validation, test;  // top-1 over the seeds; of text, the perplexity
  double seconds = 0;                      // from the first training's begin to the last one's end
  double samples_per_second = 0;           // of all of them over that time
  // The first thing that failed when something had been trained: one of several trainings (`runs`
  // has the others), writing a checkpoint, judging on the test split.
  std::optional<Rejection> failed;

  std::int64_t stopped() const;       // trainings that the stopping rule ended
  std::int64_t epochs_saved() const;  // by that
  const SeedReport& best() const;     // on validation; without one the first
};

// The names of recipes with a line each, for help.
std::vector<std::pair<std::string, std::string>> training_recipes();

Result<TrainingReport> train_model(const model::Model& model, const TrainingOptions& options,
                                   const TrainingHooks& hooks);
// With a data set that is open already: files are read once for many trainings.
Result<TrainingReport> train_model(const model::Model& model, const data::Dataset& data,
                                   const TrainingOptions& options, const TrainingHooks& hooks);
nlohmann::json to_json(const TrainingReport& report, const std::string& model);

Spread spread_of(const std::vector<double>& values);  // of at least one

}  // namespace cambium::engine
