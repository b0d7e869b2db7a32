#include "engine/inspect.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "engine/documents.h"
#include "model/dot.h"
#include "model/fingerprint.h"
#include "model/receptive_field.h"

namespace cambium::engine {

namespace {

using model::Node;

NodeRow row_of(const model::Model& model, const Node& node) {
  NodeRow row{node.name, std::string(name_of(node.op)), {}, {}, node.outputs, {}, {}, {}};
  if (node.block != model::kNoBlock) row.block = model.blocks()[node.block].name;
  for (const model::Value value : node.inputs) {
    row.inputs.push_back(model.node(value.node).name);
    if (const model::Tensor* weight = model.weight(value)) row.weights.push_back(weight->type());
  }
  return row;
}

}  // namespace

Inspection inspect(const model::Model& model) {
  Inspection out;
  out.name = model.name();
  out.structure = structure_of(model).text();
  out.totals = cost_of(model);
  for (const model::NodeId id : model.inputs()) {
    out.inputs.push_back({model.node(id).name, model.node(id).outputs[0]});
  }
  for (const model::Output& output : model.outputs()) {
    out.outputs.push_back({output.name, model.type(output.value)});
  }
  for (const model::Block& block : model.blocks()) out.blocks.push_back({block.name, block.type});
  const auto fields = receptive_fields(model);
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const Node& node = *model.nodes()[i];
    if (node.as<model::Weight>() != nullptr) continue;
    NodeRow row = row_of(model, node);
    row.cost = out.totals.nodes[i];
    for (const model::AxisField& axis : fields[i]) row.receptive_field.push_back(axis.size);
    if (node.block != model::kNoBlock) {
      BlockRow& block = out.blocks[node.block];
      ++block.nodes;
      block.macs += row.cost.macs;
      block.params += row.cost.params;
    }
    out.nodes.push_back(std::move(row));
  }
  return out;
}

nlohmann::json to_json(const Inspection& inspection) {
  using Json = nlohmann::json;
  const auto types = [](const std::vector<model::TensorType>& all) {
    Json out = Json::array();
    for (const model::TensorType& type : all) out.push_back(json_of(type));
    return out;
  };
  const auto values = [](const std::vector<ValueRow>& all) {
    Json out = Json::array();
    for (const ValueRow& row : all)
      out.push_back({{"name", row.name}, {"type", json_of(row.type)}});
    return out;
  };
  Json nodes = Json::array(), blocks = Json::array();
  for (const NodeRow& row : inspection.nodes) {
    nodes.push_back({{"name", row.name},
                     {"op", row.op},
                     {"block", row.block},
                     {"inputs", row.inputs},
                     {"outputs", types(row.outputs)},
                     {"weights", types(row.weights)},
                     {"macs", row.cost.macs},
                     {"params", row.cost.params},
                     {"activation_bytes", row.cost.activation_bytes},
                     {"receptive_field", row.receptive_field}});
  }
  for (const BlockRow& row : inspection.blocks) {
    blocks.push_back({{"name", row.name},
                      {"type", row.type},
                      {"nodes", row.nodes},
                      {"macs", row.macs},
                      {"params", row.params}});
  }
  Json out = document("inspect", 1);
  out["model"] = inspection.name;
  out["structure"] = inspection.structure;
  out["inputs"] = values(inspection.inputs);
  out["outputs"] = values(inspection.outputs);
  out["totals"] = {{"macs", inspection.totals.macs},
                   {"params", inspection.totals.params},
                   {"weight_bytes", inspection.totals.weight_bytes},
                   {"activation_bytes", inspection.totals.activation_bytes},
                   {"peak_bytes", inspection.totals.peak_bytes}};
  out["nodes"] = std::move(nodes);
  out["blocks"] = std::move(blocks);
  return out;
}

std::string draw(const model::Model& model) {
  return to_dot(model);
}

}  // namespace cambium::engine
