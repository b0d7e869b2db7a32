// Reads tensor data from files beside the model. A hostile model must not read other files, so the
// location must stay inside the model's folder, also after symbolic links. Refuses ranges outside
// the file, and distinct ranges that together exceed the file's size (they would overlap, and a
// small file could fill the memory).
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
  // An empty folder means that the model was not read from a file; every range is then refused.
  explicit ExternalData(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // A negative length means up to the end of the file. The range must have exactly the size of
  // `type`.
  Result<Tensor> read(const ExternalRange& range, const TensorType& type);

 private:
  struct File {
    std::filesystem::path path;
    std::int64_t size = 0, taken = 0;
  };
  Result<File*> open(const std::string& location);

  std::filesystem::path folder_;
  std::map<std::string, File> files_;
  // Ranges that were read already, so that tied weights share their storage.
  std::map<std::tuple<std::string, std::int64_t, DType>, Tensor> read_;
};

}  // namespace cambium::model::onnx_io
