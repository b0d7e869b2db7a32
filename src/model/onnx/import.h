// ONNX in: a file of opsets 11 to 21 (older ones as far as the table goes), by our own table of
// what each operator means in each version, as a Model in normal form. Refuses with the file, the
// node and the rule whatever it does not understand; nothing in a file can make it crash or take
// memory without bound.
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
  // Sizes of free dimensions by name. A free dimension without a name is called `batch` when it
  // leads its input, and `INPUT.AXIS` otherwise.
  std::map<std::string, std::int64_t> bind;
  // Inputs that are constants of the Model instead, because shapes depend on what they hold.
  std::map<std::string, Tensor> constants;
  ImportLimits limits;
};

struct Imported {
  Model model;
  std::vector<std::string> notes;                    // what was assumed, to be said aloud
  std::map<std::string, std::string> metadata = {};  // all entries that are not our own
};

Result<Imported> import_onnx(const std::filesystem::path& file, const ImportOptions& options = {});
// `folder` holds external data; empty: there is none.
Result<Imported> import_onnx_bytes(std::string_view bytes, const std::filesystem::path& folder,
                                   const ImportOptions& options = {});

// One serialized TensorProto (`input_0.pb`), as ONNX test data and tools store them.
Result<Tensor> read_onnx_tensor(const std::filesystem::path& file);

}  // namespace cambium::model
