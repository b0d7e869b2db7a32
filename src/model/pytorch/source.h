// PyTorch export: a Model as a readable Python file with one nn.Module, and its weights as a
// safetensors file. Each Composite is a function with its document as docstring; its body has the
// recognized convolutions and products. Refuses operators (UnsupportedOperator) and types
// (UnsupportedType) that PyTorch lacks. The same Model gives the same text.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "model/model.h"
#include "model/pytorch/safetensors.h"

namespace cambium::model {

struct PytorchSource {
  std::string text;  // of the .py file, whose `load(path)` returns the module with its weights
  std::string class_name;  // of the module
  NamedTensors weights;    // by name in the module's state dictionary
};

// The module accepts any number of samples unless the model mixes samples.
Result<PytorchSource> pytorch_source(const Model& model);

// Writes `<stem>.py` and `<stem>.safetensors` into one folder.
Status export_pytorch(const Model& model, const std::filesystem::path& stem);

// One Composite of a model, with its weights, as a separate model.
Model alone(const Model& model, NodeId composite);

}  // namespace cambium::model
