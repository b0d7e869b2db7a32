// Some nodes of a model as a model of their own: values that they read from outside become its
// inputs, values that others read become its outputs.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "model/model.h"

namespace cambium::trial {

// Weights become random numbers, if they are floating: timing does not depend on their values, and
// some are large to hand over. `nodes` are in topological order.
Result<model::Model> subgraph_of(const model::Model& model, std::span<const model::NodeId> nodes,
                                 const std::string& name);

}  // namespace cambium::trial
