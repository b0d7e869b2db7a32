// Top-1 of a model with the weights it has, on the reference executor or as native code. Refuses a
// model whose interface does not fit the images, a class that it was not trained on (UnknownClass),
// and a model that does not fit memory. Called by `cambium run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/executor.h"
#include "model/model.h"

namespace cambium::engine {

struct AccuracyOptions {
  std::string data;                     // as src/data/spec.h spells data sets
  std::vector<double> mean, deviation;  // of each channel; empty: the data set's own
  // That the model was trained on, by name: then those of an image folder are matched with them.
  std::vector<std::string> classes;
  std::int64_t limit = 0;  // only the first so many images; 0: all
  int threads = 1;
  std::optional<NativeOptions> native;  // instead of the reference executor
  bool check = false;                   // compare every output with the reference executor
  Progress progress;                    // called from any thread, one at a time
};

struct Accuracy {
  std::string data;
  std::vector<double> mean, deviation;
  std::int64_t images = 0, correct = 0;
  double seconds = 0;          // of the images, with their loading
  double compile_seconds = 0;  // native code only, in no other figure
  std::string executor;
  std::optional<OutputError> error;  // if it was checked

  double top1() const { return static_cast<double>(correct) / static_cast<double>(images); }
};

// Over the test split, in batches of the size that the model's input has. The model has one input
// f32[batch, channels, height, width], and its first output holds one score for each class; of an
// image folder, for exactly the classes that the model knows or, if those are not known, that the
// folder trains. It is the same whatever the threads. Refuses WrongResult if a check fails.
Result<Accuracy> measure_accuracy(const model::Model& model, const AccuracyOptions& options);
nlohmann::json to_json(const Accuracy& accuracy, const std::string& model);

}  // namespace cambium::engine
