// The port by which training may use kernels that were generated for a rewritten place instead of
// its decomposition. Declared here, implemented elsewhere; it may answer "none".
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/model.h"

namespace cambium::train {

// Row-major f32 arrays: the inputs of the node in order, then what is written. Dimensions are those
// of the node with the batch that it is called with.
struct ProvidedKernel {
  // inputs -> outputs
  std::function<void(const std::vector<const float*>& inputs, const std::vector<float*>& outputs)>
      forward;
  // inputs, gradients of outputs -> gradients of inputs; a null pointer: not wanted
  std::function<void(const std::vector<const float*>& inputs,
                     const std::vector<const float*>& output_gradients,
                     const std::vector<float*>& input_gradients)>
      backward;
};

class KernelProvider {
 public:
  virtual ~KernelProvider() = default;
  // `body` is the decomposition with the shapes at hand. Nothing: train through it.
  virtual std::optional<ProvidedKernel> kernel_for(const model::Model& body) = 0;
};

}  // namespace cambium::train
