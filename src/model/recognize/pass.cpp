#include "model/recognize/pass.h"

#include <algorithm>
#include <vector>

#include "model/composite.h"
#include "model/cost.h"
#include "model/recognize/apart.h"
#include "model/saturating.h"

namespace cambium::model {

namespace {

Pass counted(const Model& model) {
  std::vector<bool> flows;  // by node index: whether it follows from an input
  std::vector<TensorType> types;
  Pass pass;
  for (const NodePtr& node : model.nodes()) {
    if (node->id.index >= flows.size()) flows.resize(node->id.index + 1, false);
    const bool here = node->as<Input>() != nullptr ||
                      std::any_of(node->inputs.begin(), node->inputs.end(),
                                  [&](Value value) { return flows[value.node.index]; });
    if (!here) continue;
    flows[node->id.index] = true;
    types.clear();
    for (const Value value : node->inputs) types.push_back(model.type(value));
    pass.macs = saturating_sum(pass.macs, macs_of(node->op, types, node->outputs));
    pass.activation_bytes = saturating_sum(pass.activation_bytes, activation_bytes_of(*node));
  }
  return pass;
}

}  // namespace

Pass pass_of(const Model& model) {
  const RecognizedApart apart = recognize_apart(expanded(model));
  Pass pass = counted(apart.recognized.model);
  const std::int64_t batch = batch_axes_of(model).batch;
  pass.macs = pass.macs / apart.axes.batch * batch;
  pass.activation_bytes = pass.activation_bytes / apart.axes.batch * batch;
  return pass;
}

Pass pass_as_written(const Model& model) {
  return counted(expanded(model));
}

}  // namespace cambium::model
