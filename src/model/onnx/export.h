// ONNX out: a Model as a file of opset 17 that every runtime reads: standard operators only. What
// has no operator of its own there (Gelu, Silu, GroupNorm ...) leaves as several and is recognized
// again on import. Refuses the few attributes that opset 17 cannot say (NotExportable). The same
// Model gives the same bytes.
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
  // Above this many bytes of weights, those of 1 KiB and more go to `<file>.data` beside the model
  // (a model file itself cannot hold more than 2 GiB).
  std::int64_t external_above = std::int64_t{1} << 30;
  // More entries of the model's metadata, beside our own.
  std::map<std::string, std::string> metadata = {};
};

Status export_onnx(const Model& model, const std::filesystem::path& file,
                   const ExportOptions& options = {});
Result<std::string> export_onnx_bytes(const Model& model);  // all weights inside

}  // namespace cambium::model
