// ONNX export: a Model as a file of opset 17 with standard operators only, which every runtime
// reads. Operators that opset 17 lacks (Gelu, Silu, GroupNorm ...) become several operators, and
// import recognizes them again. Refuses the few attributes that opset 17 cannot express
// (NotExportable). The same Model gives the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"
#include "model/model.h"

namespace cambium::model {

inline constexpr std::int64_t kExportOpset = 17;

struct ExportOptions {
  // If the weights exceed this many bytes, weights of 1 KiB and more go to `<file>.data` beside the
  // model (a model file cannot exceed 2 GiB).
  std::int64_t external_above = std::int64_t{1} << 30;
  // Further entries of the model's metadata.
  std::map<std::string, std::string> metadata = {};
};

Status export_onnx(const Model& model, const std::filesystem::path& file,
                   const ExportOptions& options = {});
Result<std::string> export_onnx_bytes(const Model& model);  // all weights inside

}  // namespace cambium::model
