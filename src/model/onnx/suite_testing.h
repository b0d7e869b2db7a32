// For tests: stored inputs and outputs in the format of ONNX's test data (`input_0.pb`,
// `output_0.pb`), and their comparison with computed outputs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::model {

// The tolerances of ONNX's own runner.
struct Tolerance {
  double relative = 1e-3, absolute = 1e-7;
};

// All of `what_0.pb`, `what_1.pb` ... in the folder.
Result<std::vector<Tensor>> read_tensors(const std::filesystem::path& folder, const char* what);

// Describes the first difference; empty if equal within the tolerance. Raises `worst` to the
// largest relative error.
std::string difference(const Tensor& found, const Tensor& expected, const Tolerance& tolerance,
                       double& worst);

}  // namespace cambium::model
