#include <utility>

#include "engine/class_names.h"
#include "engine/memory.h"
#include "engine/onnx.h"
#include "model/cost.h"
#include "model/onnx/export.h"
#include "model/onnx/import.h"

namespace cambium::engine {

Result<Loaded> read_onnx(const std::string& path, const LoadOptions& options) {
  model::ImportOptions importing;
  importing.bind = options.bind;
  CAMBIUM_TRY(model::Imported imported, model::import_onnx(path, importing));
  const std::string& classes = imported.metadata[kClassesKey];
  return Loaded{std::move(imported.model), std::move(imported.notes), parse_classes(classes)};
}

Status write_onnx(const model::Model& model, const std::string& path,
                  const std::vector<std::string>& classes) {
  CAMBIUM_REQUIRE(check_memory(model, 0));  // lazy weights are filled
  model::ExportOptions exporting;
  if (const std::string text = classes_text(classes); !text.empty()) {
    exporting.metadata[kClassesKey] = text;
  }
  return model::export_onnx(model, path, exporting);
}

Status check_onnx(const model::Model& model, const std::string& path) {
  constexpr std::int64_t kTried = std::int64_t{1} << 28;  // bytes: longer than a blink otherwise
  if (cost_of(model).weight_bytes > kTried) return Ok{};
  CAMBIUM_REQUIRE(model::export_onnx_bytes(model).at(path));
  return Ok{};
}

Result<model::Tensor> read_onnx_tensor(const std::string& path) {
  return model::read_onnx_tensor(path);
}

}  // namespace cambium::engine
