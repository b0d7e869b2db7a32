// What `cambium run` does: a model on the reference executor, over a data set (top-1) or on given
// or random inputs. Refuses a model whose interface does not fit, and one that does not fit memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

// ---- over a data set
struct AccuracyOptions {
  std::string data;                     // as src/data/spec.h spells data sets
  std::vector<double> mean, deviation;  // of each channel; empty: the data set's own
  std::int64_t limit = 0;               // only the first so many images; 0: all
  int threads = 1;
  Progress progress;  // called from any thread, one at a time
};

struct Accuracy {
  std::string data;
  std::vector<double> mean, deviation;
  std::int64_t images = 0, correct = 0;
  double seconds = 0;

  double top1() const { return static_cast<double>(correct) / static_cast<double>(images); }
};

// Over the test split, in batches of the size that the model's input has. The model has one input
// f32[batch, channels, height, width], and its first output holds one score for each class. It is
// the same whatever the threads.
Result<Accuracy> measure_accuracy(const model::Model& model, const AccuracyOptions& options);
nlohmann::json to_json(const Accuracy& accuracy, const std::string& model);

// ---- on tensors
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
