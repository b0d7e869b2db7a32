// Runs models with libtorch for tests that do not include its headers, which take long to compile.
// Without libtorch, everything refuses Unavailable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::train {

struct RunOptions {
  bool training = false;
  bool channels_last = false;
  bool dense_groups = false;
  int times = 1;  // forward passes, one after another
};

struct Ran {
  std::vector<model::Tensor> outputs;  // of the last pass
  model::Model trained;                // with the statistics after that pass
};

Result<Ran> run_network(const model::Model& model, std::span<const model::Tensor> inputs,
                        const RunOptions& options = {});

// Gradients, by the inputs of the model, of the sum over all floating outputs of factor * element.
// They are zero for inputs of whole numbers and for inputs that no differentiable value depends on.
Result<std::vector<model::Tensor>> input_gradients(const model::Model& model,
                                                   std::span<const model::Tensor> inputs,
                                                   std::span<const model::Tensor> factors,
                                                   bool training = false);

}  // namespace cambium::train
