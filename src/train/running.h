// A model as a network runs it: Composites expanded, or left to kernels that a provider has for
// them, and what synthesizers wrote recognized as what it is. Weights are the nodes that they were.
// Asked by the network; refuses nothing.
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
  model::Moved moved;     // values of the given model, and what computes them
  model::BatchAxes axes;  // of the model as it runs
  std::map<model::NodeId, ProvidedKernel> kernels;  // of the Composites that stayed

  // What computes a value of the given model.
  model::Value now(model::Value value) const;
};

// Kernels are asked for at this batch; without a provider every batch runs alike. A provider is not
// asked about Composites of other types than f32, or with batch norms in them, whose running
// statistics a kernel would not update. Without recognition everything runs as it was written.
Running running_of(const model::Model& given, std::int64_t batch, KernelProvider* kernels,
                   bool recognizes = true);

}  // namespace cambium::train
