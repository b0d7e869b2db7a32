// Makes a separate model of some nodes of a model. Values that they read from outside become
// inputs, and values that others read become outputs.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "model/model.h"

namespace cambium::trial {

// Floating weights are replaced by random numbers, because timing does not depend on their values,
// and large weights are expensive to pass on. `nodes` are in topological order.
Result<model::Model> subgraph_of(const model::Model& model, std::span<const model::NodeId> nodes,
                                 const std::string& name);

}  // namespace cambium::trial
