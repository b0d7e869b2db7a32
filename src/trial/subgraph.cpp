#include "trial/subgraph.h"

#include <map>
#include <utility>
#include <vector>

#include "model/builder.h"

namespace cambium::trial {

using model::Model;
using model::NodeId;
using model::Value;

namespace {

model::Tensor stand_in(const model::Tensor& weight) {
  if (weight.type().dtype != DType::F32) return weight;
  return model::Tensor::lazy(weight.type(), {model::Fill::Law::Uniform, 0.5, 1});
}

}  // namespace

Result<Model> subgraph_of(const Model& model, std::span<const NodeId> nodes,
                          const std::string& name) {
  model::Builder b(name);
  std::map<Value, Value> moved;
  const auto outside = [&](Value value) {
    const auto [found, is_new] = moved.emplace(value, Value{});
    if (!is_new) return found->second;
    const model::Tensor* weight = model.weight(value);
    const std::string& label = model.node(value.node).name;
    found->second =
        weight != nullptr ? b.weight(label, stand_in(*weight)) : b.input(label, model.type(value));
    return found->second;
  };
  for (const NodeId id : nodes) {
    const model::Node& node = model.node(id);
    std::vector<Value> inputs;
    for (const Value value : node.inputs) inputs.push_back(outside(value));
    const Value made = b.add(node.op, inputs, node.name);
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
      moved[{id, slot}] = {made.node, made.slot + slot};
    }
  }
  const model::Uses uses(model);
  std::size_t outputs = 0;
  for (const NodeId id : nodes) {
    for (std::uint32_t slot = 0; slot < model.node(id).outputs.size(); ++slot) {
      bool leaves = false;
      for (const model::Use& use : uses.of({id, slot})) {
        bool is_inside = false;
        for (const NodeId other : nodes) is_inside = is_inside || other == use.node;
        leaves = leaves || !is_inside;
      }
      if (leaves) b.output("y" + std::to_string(outputs++), moved.at({id, slot}));
    }
  }
  return std::move(b).finish();
}

}  // namespace cambium::trial
