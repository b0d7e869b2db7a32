#include "base/features.h"
#include "engine/onnx.h"

namespace cambium::engine {

namespace {

Rejection unavailable(const std::string& path) {
  return require_feature("onnx").rejection().at(path);
}

}  // namespace

Result<Loaded> read_onnx(const std::string& path, const LoadOptions&) {
  return unavailable(path);
}

Status write_onnx(const model::Model&, const std::string& path, const std::vector<std::string>&) {
  return unavailable(path);
}

Status check_onnx(const model::Model&, const std::string& path) {
  return unavailable(path);
}

Result<model::Tensor> read_onnx_tensor(const std::string& path) {
  return unavailable(path);
}

}  // namespace cambium::engine
