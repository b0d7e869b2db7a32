// For tests: stored inputs and outputs as ONNX's test data has them (`input_0.pb`, `output_0.pb`),
// and how found outputs are compared with them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace cambium::model {

// As ONNX's own runner compares.
struct Tolerance {
  double relative = 1e-3, absolute = 1e-7;
};

// All of `what_0.pb`, `what_1.pb` ... in the folder.
Result<std::vector<Tensor>> read_tensors(const std::filesystem::path& folder, const char* what);

// What is wrong; empty: equal within the tolerance. Raises `worst` to the largest relative error.
std::string difference(const Tensor& found, const Tensor& expected, const Tolerance& tolerance,
                       double& worst);

}  // namespace cambium::model
