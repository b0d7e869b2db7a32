#include "model/builder.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "model/infer.h"

namespace cambium::model {

namespace {

std::string place_of(const Op& op, const std::string& name) {
  return fmt::format("node '{}' ({})", name, name_of(op));
}

Result<std::vector<TensorType>> infer_at(const Op& op, const std::string& name,
                                         std::span<const TensorType> inputs) {
  auto outputs = infer(op, inputs);
  // Most nodes are not refused, and a text for each would take as long as the inference.
  if (!outputs.ok()) return std::move(outputs).rejection().at(place_of(op, name));
  return outputs;
}

}  // namespace

Builder::Builder(std::string model_name) : model_name_(std::move(model_name)) {}

Builder::Builder(const Model& base)
    : model_name_(base.name_),
      nodes_(base.position_.size()),
      inputs_(base.inputs_),
      outputs_(base.outputs_),
      blocks_(base.blocks_) {
  for (const NodePtr& node : base.nodes_) nodes_[node->id.index] = node;
}

Status Builder::status() const {
  if (refused_) return *refused_;
  return Ok{};
}

void Builder::refuse(Rejection rejection) {
  if (!refused_) refused_ = std::move(rejection);
}

bool Builder::known(Value value) const {
  return value.node.index < nodes_.size() && nodes_[value.node.index] != nullptr &&
         value.slot < nodes_[value.node.index]->outputs.size();
}

const TensorType& Builder::type(Value value) const {
  static const TensorType kScalar;
  return known(value) ? nodes_[value.node.index]->outputs[value.slot] : kScalar;
}

const Node& Builder::node(NodeId id) const {
  CAMBIUM_CHECK(id.index < nodes_.size() && nodes_[id.index], "no such node");
  return *nodes_[id.index];
}

const Tensor* Builder::weight_of(Value value) const {
  if (!known(value)) return nullptr;
  const Weight* weight = node(value.node).as<Weight>();
  return weight != nullptr ? &weight->value : nullptr;
}

std::string Builder::unique_name(std::string wanted) {
  // Many edits add no node, so names of the base model are counted when the first is added.
  if (names_.empty()) {
    for (const NodePtr& node : nodes_) {
      if (node) ++names_[node->name];
    }
  }
  // A counter per wanted name keeps this linear however often one name is asked for.
  for (;;) {
    const int seen = names_[wanted]++;
    if (seen == 0) return wanted;
    std::string numbered = fmt::format("{}_{}", wanted, seen);
    if (names_[numbered] == 0) {
      ++names_[numbered];
      return numbered;
    }
  }
}

NodeId Builder::place(Op op, std::vector<Value> inputs, std::vector<TensorType> outputs,
                      std::string name) {
  const NodeId id{static_cast<std::uint32_t>(nodes_.size())};
  nodes_.push_back(std::make_shared<const Node>(Node{
      id, std::move(op), std::move(inputs), std::move(outputs), std::move(name), open_block_}));
  return id;
}

Value Builder::input(std::string name, TensorType type) {
  if (refused_) return {};
  if (auto sane = check_type(type); !sane.ok()) {
    refuse(std::move(sane).rejection().at(fmt::format("input '{}'", name)));
    return {};
  }
  const NodeId id = place(Input{type}, {}, {type}, unique_name(std::move(name)));
  inputs_.push_back(id);
  return {id, 0};
}

Value Builder::weight(std::string name, Tensor value) {
  if (refused_) return {};
  if (auto sane = check_type(value.type()); !sane.ok()) {
    refuse(std::move(sane).rejection().at(fmt::format("weight '{}'", name)));
    return {};
  }
  TensorType type = value.type();
  return {place(Weight{std::move(value)}, {}, {std::move(type)}, unique_name(std::move(name))), 0};
}

Value Builder::add(Op op, std::span<const Value> inputs, std::string name) {
  if (refused_) return {};
  name = unique_name(name.empty() ? std::string(name_of(op)) : std::move(name));
  std::vector<TensorType> types;
  for (const Value value : inputs) {
    if (!known(value)) {
      refuse(Rejection(Reason::UnknownValue).at(place_of(op, name)));
      return {};
    }
    types.push_back(type(value));
  }
  auto outputs = infer_at(op, name, types);
  if (!outputs.ok()) {
    refuse(std::move(outputs).rejection());
    return {};
  }
  return {place(std::move(op), {inputs.begin(), inputs.end()}, std::move(outputs).value(),
                std::move(name)),
          0};
}

void Builder::output(std::string name, Value value) {
  if (refused_) return;
  if (!known(value)) return refuse(Rejection(Reason::UnknownValue).at("output '" + name + "'"));
  outputs_.push_back({value, std::move(name)});
}

void Builder::begin_block(std::string name, std::string type) {
  open_block_ = add_block({std::move(name), std::move(type)});
}

void Builder::end_block() {
  open_block_ = kNoBlock;
}

std::uint32_t Builder::add_block(Block block) {
  blocks_.push_back(std::move(block));
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

void Builder::set_block(NodeId id, std::uint32_t block) {
  if (refused_ || !known({id, 0}) || node(id).block == block) return;
  Node changed = *nodes_[id.index];
  changed.block = block;
  nodes_[id.index] = std::make_shared<const Node>(std::move(changed));
}

void Builder::set_weight(NodeId weight, Tensor value) {
  if (refused_) return;
  Node changed = node(weight);
  CAMBIUM_CHECK(changed.as<Weight>() != nullptr && value.type() == changed.outputs[0],
                changed.name);
  changed.op = Weight{std::move(value)};
  nodes_[weight.index] = std::make_shared<const Node>(std::move(changed));
}

void Builder::set_op(NodeId id, Op op) {
  if (refused_) return;
  Node changed = node(id);
  changed.op = std::move(op);
  is_retyped_ = true;
  if (const auto* input = changed.as<Input>()) changed.outputs = {input->type};
  if (const auto* weight = changed.as<Weight>()) changed.outputs = {weight->value.type()};
  nodes_[id.index] = std::make_shared<const Node>(std::move(changed));
}

void Builder::replace(Value old, Value fresh) {
  replace_except(old, fresh, NodeId{});
}

void Builder::replace_except(Value old, Value fresh, NodeId except) {
  if (refused_) return;
  if (!known(old) || !known(fresh)) return refuse(Rejection(Reason::UnknownValue).at("replace"));
  is_retyped_ = is_retyped_ || type(old) != type(fresh);
  for (NodePtr& node : nodes_) {
    if (!node || node->id == except) continue;
    if (std::find(node->inputs.begin(), node->inputs.end(), old) == node->inputs.end()) continue;
    Node changed = *node;
    std::replace(changed.inputs.begin(), changed.inputs.end(), old, fresh);
    node = std::make_shared<const Node>(std::move(changed));
  }
  for (Output& output : outputs_) {
    if (output.value == old) output.value = fresh;
  }
}

// Depth first from the outputs, without recursion: a model may be a chain of a million nodes.
Result<std::vector<NodeId>> Builder::sorted_live_nodes() const {
  enum class Mark : std::uint8_t { New, Open, Done };
  std::vector<Mark> marks(nodes_.size(), Mark::New);
  std::vector<NodeId> sorted;
  std::vector<std::pair<NodeId, std::size_t>> stack;
  const auto visit = [&](NodeId root) -> Status {
    if (marks[root.index] != Mark::New) return Ok{};
    stack.emplace_back(root, 0);
    marks[root.index] = Mark::Open;
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const Node& node = *nodes_[id.index];
      if (next == node.inputs.size()) {
        marks[id.index] = Mark::Done;
        sorted.push_back(id);
        stack.pop_back();
        continue;
      }
      const NodeId child = node.inputs[next++].node;
      if (marks[child.index] == Mark::Open) {
        return Rejection(Reason::Cycle, nodes_[child.index]->name);
      }
      if (marks[child.index] == Mark::New) {
        marks[child.index] = Mark::Open;
        stack.emplace_back(child, 0);
      }
    }
    return Ok{};
  };
  for (const NodeId id : inputs_) CAMBIUM_REQUIRE(visit(id));
  for (const Output& output : outputs_) CAMBIUM_REQUIRE(visit(output.value.node));
  return sorted;
}

Result<Model> Builder::finish() && {
  if (refused_) return std::move(*refused_);
  if (outputs_.empty()) return Rejection(Reason::NoOutputs, model_name_);
  CAMBIUM_TRY(const std::vector<NodeId> order, sorted_live_nodes());
  Model model;
  model.name_ = std::move(model_name_);
  model.inputs_ = std::move(inputs_);
  model.outputs_ = std::move(outputs_);
  model.blocks_ = std::move(blocks_);
  model.position_.assign(nodes_.size(), ~0u);
  for (const NodeId id : order) {
    NodePtr& node = nodes_[id.index];
    if (is_retyped_ && !node->inputs.empty()) {
      std::vector<TensorType> types;
      for (const Value value : node->inputs) types.push_back(type(value));
      CAMBIUM_TRY(std::vector<TensorType> outputs, infer_at(node->op, node->name, types));
      if (outputs != node->outputs) {
        Node changed = *node;
        changed.outputs = std::move(outputs);
        node = std::make_shared<const Node>(std::move(changed));
      }
    }
    model.position_[id.index] = static_cast<std::uint32_t>(model.nodes_.size());
    model.nodes_.push_back(node);
  }
  return model;
}

}  // namespace cambium::model
