// A model on the reference executor or as native code, on tensors from files or at random. Refuses
// tensors that are not what the model takes, and a model that does not fit memory. Called by
// `cambium run`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/executor.h"
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

struct RunOptions {
  int threads = 1;
  std::optional<NativeOptions> native;  // instead of the reference executor
  bool check = false;                   // compare the outputs with the reference executor
};
struct RunOutcome {
  std::vector<NamedTensor> outputs;
  std::string executor;
  double seconds = 0;                // of the run alone
  std::optional<OutputError> error;  // if it was checked
};
// Refuses WrongResult if a check fails.
Result<RunOutcome> run_model(const model::Model& model, const std::vector<model::Tensor>& inputs,
                             const RunOptions& options);

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
nlohmann::json to_json(const std::vector<OutputRow>& rows, const RunOutcome& outcome,
                       const std::string& model);

}  // namespace cambium::engine
