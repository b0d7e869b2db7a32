// A model as a network runs it: Composites are expanded, or left to the kernels that a provider has
// for them, and decompositions are recognized as standard operators. Weights stay the same nodes.
// Called by the network; refuses nothing.
#pragma once

#include <cstdint>
#include <map>

#include "base/result.h"
#include "model/batch_axes.h"
#include "model/composite.h"
#include "train/kernel_provider.h"

namespace cambium::train {

struct Running {
  model::Model model;
  model::Moved moved;     // which value computes a value of the given model
  model::BatchAxes axes;  // of the model as it runs
  std::map<model::NodeId, ProvidedKernel> kernels;  // for the Composites that stayed

  // The value that computes a value of the given model.
  model::Value now(model::Value value) const;
};

// Asks the provider for kernels at this batch size; without a provider, the result is the same for
// every batch. It is not asked about Composites of types other than f32, or with batch norms in
// them, because a kernel would not update their running statistics. Without recognition, everything
// runs as written.
Running running_of(const model::Model& given, std::int64_t batch, KernelProvider* kernels,
                   bool recognizes = true);

}  // namespace cambium::train
