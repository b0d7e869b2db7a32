#include <utility>

#include "engine/memory.h"
#include "engine/onnx.h"
#include "model/onnx/export.h"
#include "model/onnx/import.h"

namespace cambium::engine {

Result<Loaded> read_onnx(const std::string& path, const LoadOptions& options) {
  model::ImportOptions importing;
  importing.bind = options.bind;
  CAMBIUM_TRY(model::Imported imported, model::import_onnx(path, importing));
  return Loaded{std::move(imported.model), std::move(imported.notes)};
}

Status write_onnx(const model::Model& model, const std::string& path) {
  CAMBIUM_REQUIRE(check_memory(model, 0));  // lazy weights are filled
  return model::export_onnx(model, path);
}

Result<model::Tensor> read_onnx_tensor(const std::string& path) {
  return model::read_onnx_tensor(path);
}

}  // namespace cambium::engine
