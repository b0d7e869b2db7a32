#include "zoo_cases.h"

#include <algorithm>
#include <set>

#include "base/fingerprint.h"
#include "lower/groups.h"
#include "lower/lower_testing.h"
#include "model/builder.h"
#include "model/cost.h"
#include "model/zoo/zoo.h"
#include "shrink.h"

namespace cambium {
namespace {

using model::Model;
using model::Node;
using model::NodeId;
using model::TensorType;
using model::Value;

// Groups that do more than this would cost the test its time; narrowing leaves few of them.
constexpr std::int64_t kMostMacs = 20'000;
constexpr std::int64_t kMostElements = 4'000;

bool computes(const Node& node) {
  return node.as<model::Input>() == nullptr && node.as<model::Weight>() == nullptr;
}

// Of an operator with the types and roles of what it reads.
void add_node(Hasher& hasher, const Model& model, const Node& node) {
  hasher.add(model::fields_fingerprint(node.op));
  for (const Value value : node.inputs) {
    hasher.add(model.type(value).text());
    hasher.add(std::uint64_t{model.weight(value) != nullptr});
  }
}

// The node alone, what it reads as inputs and weights.
Result<ZooCase> alone(std::string name, const Model& model, const Node& node) {
  std::vector<TensorType> types;
  for (const Value value : node.inputs) types.push_back(model.type(value));
  CAMBIUM_TRY(const Shrunk small, shrink(node.op, types));
  model::Builder builder(name);
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool is_weight = model.weight(node.inputs[i]) != nullptr;
    const std::string label = "x" + std::to_string(i);
    inputs.push_back(is_weight ? builder.weight(label, model::Tensor::lazy(small.inputs[i], {}))
                               : builder.input(label, small.inputs[i]));
  }
  const Value made = builder.add(small.op, inputs, "y");
  for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
    builder.output("y" + std::to_string(slot), {made.node, slot});
  }
  CAMBIUM_TRY(Model shrunk, std::move(builder).finish());
  return ZooCase{std::move(name), std::move(shrunk), {made.node}};
}

Result<Model> narrowed(const model::zoo::ZooEntry& entry) {
  CAMBIUM_TRY(const Model published, model::zoo::build(entry.name));
  model::zoo::ZooOptions options;
  options.width_divisor = 32;
  options.classes = 10;
  const bool reads_images = is_floating(published.type({published.inputs()[0], 0}).dtype);
  (reads_images ? options.image : options.length) = reads_images ? 32 : 6;
  return model::zoo::build(entry.name, options);
}

bool is_small(const Model& model, const model::Cost& cost, const lower::FusionGroup& group) {
  std::int64_t macs = 0, elements = 0;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const Node& node = *model.nodes()[i];
    if (std::find(group.nodes.begin(), group.nodes.end(), node.id) == group.nodes.end()) continue;
    macs += cost.nodes[i].macs;
    for (const TensorType& type : node.outputs) elements += type.elements();
  }
  return macs <= kMostMacs && elements <= kMostElements;
}

std::string label(const Model& model, const Node& node) {
  return model.name() + "/" + node.name + "/" + std::string(model::name_of(node.op));
}

}  // namespace

Result<std::vector<ZooCase>> zoo_operators() {
  std::vector<ZooCase> cases;
  std::set<Fingerprint> seen, seen_small;
  for (const model::zoo::ZooEntry& entry : model::zoo::entries()) {
    CAMBIUM_TRY(const Model model, model::zoo::build(entry.name));
    for (const model::NodePtr& node : model.nodes()) {
      if (!computes(*node)) continue;
      Hasher whole;
      add_node(whole, model, *node);
      if (!seen.insert(whole.done()).second) continue;
      CAMBIUM_TRY(ZooCase made, alone(label(model, *node), model, *node));
      Hasher small;
      add_node(small, made.model, made.model.node(made.nodes[0]));
      if (seen_small.insert(small.done()).second) cases.push_back(std::move(made));
    }
  }
  return cases;
}

Result<std::vector<ZooCase>> zoo_groups() {
  std::vector<ZooCase> cases;
  std::set<Fingerprint> seen;
  for (const model::zoo::ZooEntry& entry : model::zoo::entries()) {
    CAMBIUM_TRY(const Model model, narrowed(entry));
    const model::Cost cost = model::cost_of(model);
    for (const lower::FusionGroup& group : lower::groups_of(model)) {
      if (group.nodes.size() < 2 || !is_small(model, cost, group)) continue;
      Hasher hasher;
      for (const NodeId id : group.nodes) add_node(hasher, model, model.node(id));
      if (!seen.insert(hasher.done()).second) continue;
      cases.push_back({label(model, model.node(group.anchor)), model, group.nodes});
    }
  }
  return cases;
}

Result<program::Program> lowered_in_turn(program::Context& cx, const ZooCase& given,
                                         std::uint64_t turn) {
  const lower::Layouts layouts =
      turn % 2 == 1 ? lower::channels_last_layouts(given.model) : lower::Layouts{};
  CAMBIUM_TRY(const lower::Lowered lowered, lower::lower(cx, given.model, given.nodes, layouts));
  return lowered.program;
}

Result<std::vector<ZooConv>> zoo_convolutions() {
  std::set<ZooConv> found;
  for (const model::zoo::ZooEntry& entry : model::zoo::entries()) {
    CAMBIUM_TRY(const Model model, model::zoo::build(entry.name));
    for (const model::NodePtr& node : model.nodes()) {
      const auto* conv = node->as<model::Conv>();
      if (conv == nullptr || conv->groups != 1) continue;
      const std::int64_t pad = conv->pads[0];
      const auto same = std::count(conv->pads.begin(), conv->pads.end(), pad);
      if (same != static_cast<std::ptrdiff_t>(conv->pads.size())) continue;
      found.insert({model.type(node->inputs[1]).dims[2], conv->strides[0], pad});
    }
  }
  return std::vector<ZooConv>(found.begin(), found.end());
}

}  // namespace cambium
