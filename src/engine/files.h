// Loads and saves models and tensors by the name that a user writes: `zoo:resnet18`, `net.onnx`,
// `net.cambium`; `x.npy`, `x.pb`. Refuses other names with a suggestion. Only this file knows which
// formats the build can read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

struct LoadOptions {
  // Sizes by name. For an ONNX file: its free dimensions. For the zoo: batch, classes, image,
  // length, width_divisor.
  std::map<std::string, std::int64_t> bind;
  std::uint64_t seed = 1;  // for the zoo's weights
};

struct Loaded {
  model::Model model;
  std::vector<std::string> notes;         // assumptions to report to the user
  std::vector<std::string> classes = {};  // names of the classes that it scores; empty: unknown
};

Result<Loaded> load_model(const std::string& spec, const LoadOptions& options = {});

// The format follows from the ending: .onnx or .cambium. Refuses BadOption for another ending, and
// Unwritable. Called before any work.
Status check_model_path(const std::string& path);
// Also refuses what saving this model there would refuse. Called before hours of training instead
// of after.
Status check_savable(const model::Model& model, const std::string& path);
Status save_model(const model::Model& model, const std::string& path,
                  const std::vector<std::string>& classes = {});

// The format follows from the ending: .npy, or .pb (one ONNX TensorProto).
Result<model::Tensor> load_tensor(const std::string& path);

}  // namespace cambium::engine
