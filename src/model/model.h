// Model: an immutable typed graph of operators with weights. An edit (model/builder.h) makes a new
// Model that shares every untouched node, including weights; shared nodes keep their NodeId. Shapes
// are concrete: the importer binds the named sizes of a file.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/op.h"

namespace cambium::model {

// Identifies a node across edits. Ids are never reused within one line of edits.
struct NodeId {
  std::uint32_t index = ~0u;

  bool valid() const { return index != ~0u; }
  friend auto operator<=>(NodeId, NodeId) = default;
};

// One output of one node.
struct Value {
  NodeId node;
  std::uint32_t slot = 0;

  bool valid() const { return node.valid(); }
  friend auto operator<=>(Value, Value) = default;
};

inline constexpr std::uint32_t kNoBlock = ~0u;

struct Node {
  NodeId id;
  Op op;
  std::vector<Value> inputs;
  std::vector<TensorType> outputs;
  std::string name;                // for people and files; empty or unique within the model
  std::uint32_t block = kNoBlock;  // index into Model::blocks()

  template <class T>
  const T* as() const {
    return std::get_if<T>(&op);
  }
};

using NodePtr = std::shared_ptr<const Node>;

// A repeated unit of an architecture. Blocks of one type ("basic", "bottleneck", "transformer") are
// similar; architecture search duplicates and deletes them.
struct Block {
  std::string name;  // "layer1.0"
  std::string type;  // "basic"

  friend bool operator==(const Block&, const Block&) = default;
};

struct Output {
  Value value;
  std::string name;

  friend bool operator==(const Output&, const Output&) = default;
};

class Model {
 public:
  Model() = default;

  const std::string& name() const { return name_; }
  // In topological order: inputs of a node come before it.
  std::span<const NodePtr> nodes() const { return nodes_; }
  std::span<const Block> blocks() const { return blocks_; }
  std::span<const NodeId> inputs() const { return inputs_; }  // the Input nodes, in interface order
  std::span<const Output> outputs() const { return outputs_; }

  bool contains(NodeId id) const;
  const Node& node(NodeId id) const;  // the model must contain it
  const TensorType& type(Value value) const { return node(value.node).outputs[value.slot]; }
  // The tensor of a Weight; null for other values.
  const Tensor* weight(Value value) const;

 private:
  friend class Builder;

  std::string name_;
  std::vector<NodePtr> nodes_;
  std::vector<std::uint32_t> position_;  // NodeId::index -> index into nodes_, or ~0
  std::vector<NodeId> inputs_;
  std::vector<Output> outputs_;
  std::vector<Block> blocks_;
};

struct Use {
  NodeId node;              // invalid for an output of the model
  std::uint32_t input = 0;  // which input of the node, or which output of the model
};

// The readers of each value of one Model, built on demand.
class Uses {
 public:
  explicit Uses(const Model& model);
  std::span<const Use> of(Value value) const;

 private:
  std::vector<std::vector<std::vector<Use>>> uses_;  // by node index, by slot
};

}  // namespace cambium::model

template <>
struct std::hash<cambium::model::NodeId> {
  std::size_t operator()(cambium::model::NodeId id) const noexcept { return id.index; }
};
