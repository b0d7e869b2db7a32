// Models and tensors in and out of files, by what a user writes: `zoo:resnet18`, `net.onnx`,
// `net.cambium`; `x.npy`, `x.pb`. Refuses anything else, with what was probably meant. The one
// place that knows which forms this build can read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

struct LoadOptions {
  // Sizes by name. Of an ONNX file: its free dimensions; of the zoo: batch, classes, image, length,
  // width_divisor.
  std::map<std::string, std::int64_t> bind;
  std::uint64_t seed = 1;  // of the zoo's weights
};

struct Loaded {
  model::Model model;
  std::vector<std::string> notes;         // what was assumed, to be said aloud
  std::vector<std::string> classes = {};  // that its scores stand for, by name; empty: not known
};

Result<Loaded> load_model(const std::string& spec, const LoadOptions& options = {});

// By the ending of the path: .onnx or .cambium. Refuses BadOption for others and Unwritable, before
// any work.
Status check_model_path(const std::string& path);
// Also what writing such a model there would refuse. Before hours of training, not behind them.
Status check_savable(const model::Model& model, const std::string& path);
Status save_model(const model::Model& model, const std::string& path,
                  const std::vector<std::string>& classes = {});

// By the ending of the path: .npy, or .pb (one ONNX TensorProto).
Result<model::Tensor> load_tensor(const std::string& path);

}  // namespace cambium::engine
