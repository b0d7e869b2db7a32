#include "spaces/places/neighbours.h"

#include <algorithm>
#include <map>

namespace cambium::spaces {

namespace {

using model::Node;
using model::Value;

// Behind the batch, as convolutions and normalizations have them.
constexpr std::size_t kChannels = 1;

class Neighbours {
 public:
  Neighbours(const model::Model& model, const std::set<model::NodeId>& rewritten)
      : model_(model), rewritten_(rewritten) {
    for (const model::NodePtr& node : model.nodes()) {
      for (const Value value : node->inputs) readers_[value].push_back(node.get());
    }
  }

  bool is_absorbed_behind(Value value, std::size_t axis) const;
  bool is_absorbed_before(Value value, std::size_t axis) const;

 private:
  bool is_output(Value value) const;
  bool has_own_weights(const Node& node) const;
  bool is_dense(const Node& node, std::size_t axis) const;
  bool passes(const Node& node, std::size_t axis) const;

  const model::Model& model_;
  const std::set<model::NodeId>& rewritten_;
  std::map<Value, std::vector<const Node*>> readers_;
};

bool Neighbours::is_output(Value value) const {
  const auto outputs = model_.outputs();
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const model::Output& output) { return output.value == value; });
}

// All inputs but the first are weights that nothing else reads, so that they can be permuted.
bool Neighbours::has_own_weights(const Node& node) const {
  return std::all_of(node.inputs.begin() + 1, node.inputs.end(), [this](Value value) {
    return model_.weight(value) != nullptr && readers_.at(value).size() == 1;
  });
}

// Whether it sums over all of an axis of its input, and all elements of its result have weights of
// their own. Its result has its own such axis in the same place.
bool Neighbours::is_dense(const Node& node, std::size_t axis) const {
  if (rewritten_.contains(node.id) || node.inputs.size() < 2 || !has_own_weights(node)) {
    return false;
  }
  const std::size_t rank = model_.type(node.inputs[0]).dims.size();
  if (const auto* conv = node.as<model::Conv>()) return conv->groups == 1 && axis == kChannels;
  if (const auto* gemm = node.as<model::Gemm>()) return !gemm->transpose_a && axis == 1;
  const bool is_plain = model_.type(node.inputs[1]).dims.size() == 2;
  return node.as<model::MatMul>() != nullptr && is_plain && rank >= 2 && axis + 1 == rank;
}

// Whether it does the same to every element of an axis, but for weights of its own.
bool Neighbours::passes(const Node& node, std::size_t axis) const {
  if (rewritten_.contains(node.id) || node.outputs.size() != 1 || !has_own_weights(node)) {
    return false;
  }
  if (node.as<model::Unary>() != nullptr || node.as<model::Activation>() != nullptr) return true;
  if (node.as<model::BatchNorm>() != nullptr || node.as<model::Pool>() != nullptr) {
    return axis == kChannels;
  }
  return node.as<model::Binary>() != nullptr &&
         node.outputs[0].dims == model_.type(node.inputs[0]).dims;
}

bool Neighbours::is_absorbed_behind(Value value, std::size_t axis) const {
  const auto readers = readers_.find(value);
  if (is_output(value) || readers == readers_.end()) return false;
  return std::all_of(readers->second.begin(), readers->second.end(), [&](const Node* node) {
    if (node->inputs[0] != value) return false;
    return is_dense(*node, axis) ||
           (passes(*node, axis) && is_absorbed_behind(Value{node->id, 0}, axis));
  });
}

bool Neighbours::is_absorbed_before(Value value, std::size_t axis) const {
  if (is_output(value) || readers_.at(value).size() != 1) return false;
  const Node& node = model_.node(value.node);
  return is_dense(node, axis) ||
         (!node.inputs.empty() && passes(node, axis) && is_absorbed_before(node.inputs[0], axis));
}

}  // namespace

UnorderedAxes unordered_axes(const model::Model& model, const std::set<model::NodeId>& rewritten,
                             const std::vector<Place>& places) {
  const Neighbours neighbours(model, rewritten);
  const std::size_t rank = model.type(places.front().input).dims.size();  // that of the output
  const auto everywhere = [&](Value Place::*side,
                              bool (Neighbours::*is_absorbed)(Value, std::size_t) const) {
    std::vector<std::uint8_t> axes;
    for (std::size_t axis = 1; axis < rank; ++axis) {
      if (std::all_of(places.begin(), places.end(), [&](const Place& place) {
            return (neighbours.*is_absorbed)(place.*side, axis);
          })) {
        axes.push_back(static_cast<std::uint8_t>(axis));
      }
    }
    return axes;
  };
  return {everywhere(&Place::input, &Neighbours::is_absorbed_before),
          everywhere(&Place::output, &Neighbours::is_absorbed_behind)};
}

}  // namespace cambium::spaces
