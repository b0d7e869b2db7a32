// ONNX files. A build with the feature compiles onnx_in.cpp; a build without it compiles
// onnx_out_of_build.cpp, which refuses Unavailable. Called by files.cpp only.
#pragma once

#include <string>
#include <vector>

#include "engine/files.h"

namespace cambium::engine {

Result<Loaded> read_onnx(const std::string& path, const LoadOptions& options);
Status write_onnx(const model::Model& model, const std::string& path,
                  const std::vector<std::string>& classes);
// Checks whether the model can be written. Large models are not tried.
Status check_onnx(const model::Model& model, const std::string& path);
Result<model::Tensor> read_onnx_tensor(const std::string& path);

}  // namespace cambium::engine
