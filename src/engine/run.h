// A model on the reference executor, on tensors from files or at random. Refuses tensors that are
// not what the model takes, and a model that does not fit memory. Called by `cambium run`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

// One tensor per input in interface order, from files by the input's name; with one input the name
// may be left out (the key is then empty).
Result<std::vector<model::Tensor>> read_inputs(const model::Model& model,
                                               const std::map<std::string, std::string>& files);
// Standard normal floats; integers that are zero, because only the model knows their range.
std::vector<model::Tensor> random_inputs(const model::Model& model, std::uint64_t seed);

struct NamedTensor {
  std::string name;
  model::Tensor value;
};

Result<std::vector<NamedTensor>> run_model(const model::Model& model,
                                           const std::vector<model::Tensor>& inputs, int threads);

struct OutputRow {
  std::string name;
  model::TensorType type;
  double low = 0, high = 0, mean = 0;  // of elements that are not NaN; 0 if there are none
  std::int64_t nans = 0;
  std::vector<double> head;  // the first few elements
  std::string file;          // where it was written, if it was
};

OutputRow summarize(const NamedTensor& output);
// As FOLDER/NAME.npy, with characters that do not belong in a file name replaced; makes the folder.
Status write_outputs(const std::vector<NamedTensor>& outputs, const std::string& folder,
                     std::vector<OutputRow>& rows);
nlohmann::json to_json(const std::vector<OutputRow>& rows, const std::string& model);

}  // namespace cambium::engine
