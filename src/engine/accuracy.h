// Top-1 accuracy of a model with its own weights, on the reference executor or as native code.
// Refuses a model whose interface does not fit the images, a class that the model was not trained
// on (UnknownClass), and a model that does not fit memory. Called by `cambium run`.
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
  std::string data;                     // a data set as in src/data/spec.h
  std::vector<double> mean, deviation;  // per channel; empty: those of the data set
  // Names of the classes that the model was trained on. If given, the classes of an image folder
  // are matched with them by name.
  std::vector<std::string> classes;
  std::int64_t limit = 0;  // use only this many images; 0: all
  int threads = 1;
  std::optional<NativeOptions> native;  // run native code instead of the reference executor
  bool check = false;                   // compare every output with the reference executor
  Progress progress;                    // called from any thread, but never twice at once
};

struct Accuracy {
  std::string data;
  std::vector<double> mean, deviation;
  std::int64_t images = 0, correct = 0;
  double seconds = 0;          // for all images, including loading them
  double compile_seconds = 0;  // for native code; not part of `seconds`
  std::string executor;
  std::optional<OutputError> error;  // if the outputs were checked

  double top1() const { return static_cast<double>(correct) / static_cast<double>(images); }
};

// Measures over the test split, in batches of the model's batch size. The model must have one input
// f32[batch, channels, height, width], and its first output must hold one score per class. For an
// image folder, these must be exactly the classes that the model knows or, if they are unknown, the
// folder's training classes. The result does not depend on the number of threads. Refuses
// WrongResult if a check fails.
Result<Accuracy> measure_accuracy(const model::Model& model, const AccuracyOptions& options);
nlohmann::json to_json(const Accuracy& accuracy, const std::string& model);

}  // namespace cambium::engine
