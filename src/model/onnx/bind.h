// Gives every free dimension of a file's inputs a size: the one that the caller bound, or 1 for a
// leading dimension, with a note. Refuses other free dimensions, and bindings of names that no
// input has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/onnx/document.h"
#include "model/onnx/import.h"

namespace cambium::model::onnx_io {

struct BoundInputs {
  std::vector<std::pair<std::string, TensorType>> inputs;
  std::vector<std::string> notes;
};

// `inputs` are the inputs that neither an initializer nor a constant of the options provides.
Result<BoundInputs> bind_inputs(const std::vector<const ValueInfo*>& inputs,
                                const std::map<std::string, std::int64_t>& bind);

}  // namespace cambium::model::onnx_io
