// The port through which training may run generated kernels for a rewritten place instead of its
// decomposition. Training only declares the port. A provider may have no kernel for a place.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/model.h"

namespace cambium::train {

// Row-major f32 arrays: the inputs of the node in order, then the results. Dimensions are those of
// the node with the batch of the call.
struct ProvidedKernel {
  // inputs -> outputs
  std::function<void(const std::vector<const float*>& inputs, const std::vector<float*>& outputs)>
      forward;
  // inputs, gradients of outputs -> gradients of inputs; a null pointer: not needed
  std::function<void(const std::vector<const float*>& inputs,
                     const std::vector<const float*>& output_gradients,
                     const std::vector<float*>& input_gradients)>
      backward;
};

class KernelProvider {
 public:
  virtual ~KernelProvider() = default;
  // `body` is the decomposition with the shapes of the call. Without a kernel, training runs the
  // body.
  virtual std::optional<ProvidedKernel> kernel_for(const model::Model& body) = 0;
};

}  // namespace cambium::train
