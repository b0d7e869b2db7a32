// Top-1 of a model with the weights it has, on the reference executor. Refuses a model whose
// interface does not fit the images, and one that does not fit memory. Called by `cambium run`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

struct AccuracyOptions {
  std::string data;                     // as src/data/spec.h spells data sets
  std::vector<double> mean, deviation;  // of each channel; empty: the data set's own
  std::int64_t limit = 0;               // only the first so many images; 0: all
  int threads = 1;
  Progress progress;  // called from any thread, one at a time
};

struct Accuracy {
  std::string data;
  std::vector<double> mean, deviation;
  std::int64_t images = 0, correct = 0;
  double seconds = 0;

  double top1() const { return static_cast<double>(correct) / static_cast<double>(images); }
};

// Over the test split, in batches of the size that the model's input has. The model has one input
// f32[batch, channels, height, width], and its first output holds one score for each class. It is
// the same whatever the threads.
Result<Accuracy> measure_accuracy(const model::Model& model, const AccuracyOptions& options);
nlohmann::json to_json(const Accuracy& accuracy, const std::string& model);

}  // namespace cambium::engine
