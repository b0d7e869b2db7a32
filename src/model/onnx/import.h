// ONNX import: reads a file of opsets 11 to 21 (and older opsets as far as the table covers them)
// as a Model in normal form. Our own table defines every operator in every version. Refuses
// everything that it does not understand, with the file, the node and the rule. No file can make it
// crash or use unbounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::model {

struct ImportLimits {
  std::int64_t folded_bytes = std::int64_t{1} << 29;  // of constants computed while reading, plus
                                                      // four times the weights of the file
  std::int64_t folded_work = std::int64_t{1} << 32;   // multiplications spent on them
};

struct ImportOptions {
  // Sizes of free dimensions by name. A free dimension without a name is called `batch` if it is
  // the first of its input, and `INPUT.AXIS` otherwise.
  std::map<std::string, std::int64_t> bind;
  // Inputs that become constants of the Model, because shapes depend on their values.
  std::map<std::string, Tensor> constants;
  ImportLimits limits;
};

struct Imported {
  Model model;
  std::vector<std::string> notes;                    // assumptions that the user should know
  std::map<std::string, std::string> metadata = {};  // all entries of other tools
};

Result<Imported> import_onnx(const std::filesystem::path& file, const ImportOptions& options = {});
// `folder` may contain external data; an empty folder means that there is none.
Result<Imported> import_onnx_bytes(std::string_view bytes, const std::filesystem::path& folder,
                                   const ImportOptions& options = {});

// One serialized TensorProto (`input_0.pb`), the format of ONNX test data and tools.
Result<Tensor> read_onnx_tensor(const std::filesystem::path& file);

}  // namespace cambium::model
