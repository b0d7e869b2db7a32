// Builder: the only way to make a Model, from scratch or as an edit of another one.
//
// The first refusal sticks: later calls do nothing and return an invalid Value, and `finish`
// returns that refusal. Code that builds a network therefore reads like the network.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::model {

class Builder {
 public:
  explicit Builder(std::string model_name);
  explicit Builder(const Model& base);  // an edit: starts with all of its nodes

  // ---- adding
  Value input(std::string name, TensorType type);
  Value weight(std::string name, Tensor value);
  // Infers the types of the outputs. Refuses nodes without valid types. An empty name is replaced.
  // For operators with several outputs, the Value is the first; `slot` counts on from it.
  Value add(Op op, std::span<const Value> inputs, std::string name = {});
  Value add(Op op, std::initializer_list<Value> inputs, std::string name = {}) {
    return add(std::move(op), std::span<const Value>(inputs.begin(), inputs.size()),
               std::move(name));
  }
  void output(std::string name, Value value);

  // Nodes added until `end_block` belong to this block.
  void begin_block(std::string name, std::string type);
  void end_block();
  void set_block(NodeId node, std::uint32_t block);
  std::uint32_t add_block(Block block);

  // ---- editing
  // Every reader of `old` (nodes and outputs of the model) reads `fresh` instead.
  void replace(Value old, Value fresh);
  // The same, except for the node that makes `fresh` (to insert a node after a value).
  void replace_except(Value old, Value fresh, NodeId except);
  // Replaces the elements of a Weight by others of the same type. The Weight keeps its id, name and
  // readers.
  void set_weight(NodeId weight, Tensor value);

  // Replaces the operator of a node, or the type of an Input. The node keeps its id, name, inputs
  // and readers; `finish` infers its new types.
  void set_op(NodeId node, Op op);

  // ---- looking
  bool ok() const { return !refused_; }
  Status status() const;
  const TensorType& type(Value value) const;  // a scalar for an invalid value
  const Node& node(NodeId id) const;
  const Tensor* weight_of(Value value) const;
  // Makes the Builder refuse with this reason, for callers that find mistakes themselves.
  void refuse(Rejection rejection);

  // Removes nodes that no output needs (inputs of the model stay), sorts the rest, infers the types
  // that an edit changed, and makes the Model. Refuses cycles, and edits that leave a node without
  // a valid type.
  Result<Model> finish() &&;

 private:
  NodeId place(Op op, std::vector<Value> inputs, std::vector<TensorType> outputs, std::string name);
  std::string unique_name(std::string wanted);
  bool known(Value value) const;
  Result<std::vector<NodeId>> sorted_live_nodes() const;

  std::string model_name_;
  std::vector<NodePtr> nodes_;  // by NodeId::index; null if the base model has no such node
  std::vector<NodeId> inputs_;
  std::vector<Output> outputs_;
  std::vector<Block> blocks_;
  std::uint32_t open_block_ = kNoBlock;
  std::unordered_map<std::string, int> names_;  // how often each name was requested
  bool is_retyped_ = false;  // whether an edit may have changed the type of what a node reads
  std::optional<Rejection> refused_;
};

}  // namespace cambium::model
