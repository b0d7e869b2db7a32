#include "model/recognize/pass.h"

#include <algorithm>
#include <set>

#include "model/composite.h"
#include "model/cost.h"
#include "model/recognize/apart.h"

namespace cambium::model {

namespace {

Pass counted(const Model& model) {
  const Cost cost = cost_of(model);
  std::set<std::uint32_t> flowing;  // nodes that follow from an input
  Pass pass;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const Node& node = *model.nodes()[i];
    const bool flows = node.as<Input>() != nullptr ||
                       std::any_of(node.inputs.begin(), node.inputs.end(), [&](Value value) {
                         return flowing.count(value.node.index) > 0;
                       });
    if (!flows) continue;
    flowing.insert(node.id.index);
    pass.macs += cost.nodes[i].macs;
    pass.activation_bytes += cost.nodes[i].activation_bytes;
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
