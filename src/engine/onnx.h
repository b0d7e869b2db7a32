// ONNX as far as this build has it: onnx_in.cpp is compiled with the feature, onnx_out_of_build.cpp
// without it and refuses Unavailable. Called by files.cpp only.
#pragma once

#include <string>
#include <vector>

#include "engine/files.h"

namespace cambium::engine {

Result<Loaded> read_onnx(const std::string& path, const LoadOptions& options);
Status write_onnx(const model::Model& model, const std::string& path,
                  const std::vector<std::string>& classes);
// Whether it can be written at all; large models are not tried.
Status check_onnx(const model::Model& model, const std::string& path);
Result<model::Tensor> read_onnx_tensor(const std::string& path);

}  // namespace cambium::engine
