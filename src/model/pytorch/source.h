// PyTorch source out: a Model as a Python file of its own with one nn.Module, in readable code, and
// its weights as a safetensors file. Each Composite is a function with its document, in the
// convolutions and products that it was recognized as. Refuses what PyTorch cannot say
// (UnsupportedOperator) or hold (UnsupportedType). The same Model gives the same text.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "model/model.h"
#include "model/pytorch/safetensors.h"

namespace cambium::model {

struct PytorchSource {
  std::string text;        // of the .py file: `load(path)` gives the module with its weights
  std::string class_name;  // of the module
  NamedTensors weights;    // by their names in the module's state dictionary
};

// The module takes any number of samples where the model does not mix them with something else.
Result<PytorchSource> pytorch_source(const Model& model);

// Writes `<stem>.py` and `<stem>.safetensors` beside each other.
Status export_pytorch(const Model& model, const std::filesystem::path& stem);

// One Composite of a model with its weights, as a model of its own.
Model alone(const Model& model, NodeId composite);

}  // namespace cambium::model
