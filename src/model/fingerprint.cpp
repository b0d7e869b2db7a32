#include "model/fingerprint.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cambium::model {

namespace {

constexpr std::uint32_t kUnnumbered = ~0u;

// A lazy constant above this size counts by its rule: looking at an architecture must not fill
// gigabytes because a file says so.
constexpr std::int64_t kLargestFilledConstant = 1 << 20;

void add_type(Hasher& hasher, const TensorType& type) {
  hasher.add(name_of(type.dtype)).add_range(type.dims);
}

void add_constant(Hasher& hasher, const Tensor& value) {
  const auto fill = value.fill();
  if (fill && value.elements() > kLargestFilledConstant) {
    hasher.add(fill->law).add(fill->scale).add(fill->seed);
  } else {
    hasher.add(Fingerprint::of_bytes(value.bytes()));
  }
}

// Inputs of a node and outputs of a model are ordered, so a walk from the outputs that visits
// inputs in order meets the nodes in an order that the graph alone determines. Numbering nodes by
// that walk and hashing (operator, types, numbers of the inputs) node by node is therefore a
// canonical form of the whole graph: two models are equal here exactly when they are isomorphic.
// In particular a shared weight or subexpression is one number read twice, and a duplicated one is
// two numbers, which hashing every node from its inputs alone (a Merkle tree) cannot tell apart.
class Walk {
 public:
  Walk(const Model& model, bool weights_by_value)
      : model_(model), weights_by_value_(weights_by_value) {
    std::uint32_t largest = 0;
    for (const NodePtr& node : model.nodes()) largest = std::max(largest, node->id.index);
    numbers_.assign(largest + std::size_t{1}, kUnnumbered);
  }

  Fingerprint run() {
    hasher_.add(model_.inputs().size());
    for (const NodeId id : model_.inputs()) number(model_.node(id));
    for (const Output& output : model_.outputs()) visit(output.value.node);
    hasher_.add(model_.outputs().size());
    for (const Output& output : model_.outputs()) add_value(output.value);
    return hasher_.done();
  }

 private:
  // Without recursion: a model may be a chain of a million nodes.
  void visit(NodeId root) {
    std::vector<std::pair<const Node*, std::size_t>> stack;
    const auto enter = [&](NodeId id) {
      if (numbers_[id.index] == kUnnumbered) stack.emplace_back(&model_.node(id), 0);
    };
    enter(root);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < node->inputs.size()) {
        enter(node->inputs[next++].node);
      } else {
        const Node* done = node;
        stack.pop_back();
        number(*done);
      }
    }
  }

  void number(const Node& node) {
    numbers_[node.id.index] = next_number_++;
    hasher_.add(fields_fingerprint(node.op));
    hasher_.add(node.outputs.size());
    for (const TensorType& type : node.outputs) add_type(hasher_, type);
    hasher_.add(node.inputs.size());
    for (const Value value : node.inputs) add_value(value);
    if (const Weight* weight = node.as<Weight>()) {
      if (is_constant(weight->value.type())) {
        add_constant(hasher_, weight->value);
      } else if (weights_by_value_) {
        hasher_.add(Fingerprint::of_bytes(weight->value.bytes()));
      }
    }
  }

  void add_value(Value value) { hasher_.add(numbers_[value.node.index]).add(value.slot); }

  const Model& model_;
  bool weights_by_value_;
  std::vector<std::uint32_t> numbers_;  // by NodeId::index
  std::uint32_t next_number_ = 0;
  Hasher hasher_;
};

}  // namespace

bool is_constant(const TensorType& type) {
  return !is_floating(type.dtype) || type.rank() == 0;
}

Fingerprint structure_of(const Model& model) {
  return Walk(model, false).run();
}

Fingerprint content_of(const Model& model) {
  return Walk(model, true).run();
}

}  // namespace cambium::model
