// Runs a model on the reference executor or as native code, on tensors from files or on random
// ones. Refuses tensors that do not fit the model's inputs, and a model that does not fit memory.
// Called by `cambium run`.
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

// One tensor per input, in the order of the model. `files` maps the names of inputs to paths; with
// a single input the name may be empty.
Result<std::vector<model::Tensor>> read_inputs(const model::Model& model,
                                               const std::map<std::string, std::string>& files);
// Standard normal floats; integers are zero, because only the model knows their range.
std::vector<model::Tensor> random_inputs(const model::Model& model, std::uint64_t seed);

struct NamedTensor {
  std::string name;
  model::Tensor value;
};

struct RunOptions {
  int threads = 1;
  std::optional<NativeOptions> native;  // run native code instead of the reference executor
  bool check = false;                   // compare the outputs with the reference executor
};
struct RunOutcome {
  std::vector<NamedTensor> outputs;
  std::string executor;
  double seconds = 0;                // for the run only
  std::optional<OutputError> error;  // if the outputs were checked
};
// Refuses WrongResult if a check fails.
Result<RunOutcome> run_model(const model::Model& model, const std::vector<model::Tensor>& inputs,
                             const RunOptions& options);

struct OutputRow {
  std::string name;
  model::TensorType type;
  double low = 0, high = 0, mean = 0;  // without NaNs; 0 if there is nothing else
  std::int64_t nans = 0;
  std::vector<double> head;  // the first few elements
  std::string file;          // where it was written; empty: nowhere
};

OutputRow summarize(const NamedTensor& output);
// Writes each output to FOLDER/NAME.npy. Replaces characters that do not belong in a file name, and
// creates the folder.
Status write_outputs(const std::vector<NamedTensor>& outputs, const std::string& folder,
                     std::vector<OutputRow>& rows);
nlohmann::json to_json(const std::vector<OutputRow>& rows, const RunOutcome& outcome,
                       const std::string& model);

}  // namespace cambium::engine
