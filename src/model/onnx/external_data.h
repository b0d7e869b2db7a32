// Reads the parts of tensors that lie in files beside the model. A hostile model must not read
// other files: the location has to stay below the model's folder, symbolic links followed. Refuses
// ranges outside the file, and distinct ranges that together hold more than the file does (they
// would overlap, and a small file could fill the memory).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

class ExternalData {
 public:
  // An empty folder: the model came without one, so every range is refused.
  explicit ExternalData(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // A length below zero: to the end of the file. Must hold exactly what `type` needs.
  Result<Tensor> read(const ExternalRange& range, const TensorType& type);

 private:
  struct File {
    std::filesystem::path path;
    std::int64_t size = 0, taken = 0;
  };
  Result<File*> open(const std::string& location);

  std::filesystem::path folder_;
  std::map<std::string, File> files_;
  // Ranges read before, so that tied weights share their storage.
  std::map<std::tuple<std::string, std::int64_t, DType>, Tensor> read_;
};

}  // namespace cambium::model::onnx_io
