#include "model/model.h"

namespace cambium::model {

bool Model::contains(NodeId id) const {
  return id.index < position_.size() && position_[id.index] != ~0u;
}

const Node& Model::node(NodeId id) const {
  CAMBIUM_CHECK(contains(id), "no such node in this model");
  return *nodes_[position_[id.index]];
}

const Tensor* Model::weight(Value value) const {
  const Weight* weight = node(value.node).as<Weight>();
  return weight != nullptr ? &weight->value : nullptr;
}

Uses::Uses(const Model& model) {
  for (const NodePtr& node : model.nodes()) {
    if (node->id.index >= uses_.size()) uses_.resize(node->id.index + 1);
    uses_[node->id.index].resize(node->outputs.size());
    for (std::uint32_t i = 0; i < node->inputs.size(); ++i) {
      const Value value = node->inputs[i];
      uses_[value.node.index][value.slot].push_back({node->id, i});
    }
  }
  for (std::uint32_t i = 0; i < model.outputs().size(); ++i) {
    const Value value = model.outputs()[i].value;
    uses_[value.node.index][value.slot].push_back({NodeId{}, i});
  }
}

std::span<const Use> Uses::of(Value value) const {
  return uses_[value.node.index][value.slot];
}

}  // namespace cambium::model
