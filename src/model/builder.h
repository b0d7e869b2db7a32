// Builder: the only way to make a Model, from nothing or as an edit of another one.
//
// The first refusal sticks: later calls do nothing and give an invalid Value, and `finish` returns
// that refusal, so that code which builds a network reads like the network.
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
  // Infers the types of the outputs; refuses what cannot be typed. An empty name is given one.
  // Operators with several outputs: the Value is the first, `slot` counts on from there.
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
  // Every reader of `old` except the node that makes `fresh` (to insert behind a value).
  void replace_except(Value old, Value fresh, NodeId except);
  // Other elements for a Weight, of the same type; it keeps its id, its name and its readers.
  void set_weight(NodeId weight, Tensor value);

  // Another operator, or an Input of another type, in the place of what a node does; it keeps its
  // id, its name, its inputs and its readers, and `finish` infers what it gives then.
  void set_op(NodeId node, Op op);

  // ---- looking
  bool ok() const { return !refused_; }
  Status status() const;
  const TensorType& type(Value value) const;  // of an invalid value: a scalar
  const Node& node(NodeId id) const;
  const Tensor* weight_of(Value value) const;
  // Refuses from now on, for this reason (for code that finds its own mistakes).
  void refuse(Rejection rejection);

  // Drops nodes that no output needs (inputs of the model stay), sorts, infers again what an edit
  // changed, and makes the Model. Refuses cycles, and edits after which a node has no type.
  Result<Model> finish() &&;

 private:
  NodeId place(Op op, std::vector<Value> inputs, std::vector<TensorType> outputs, std::string name);
  std::string unique_name(std::string wanted);
  bool known(Value value) const;
  Result<std::vector<NodeId>> sorted_live_nodes() const;

  std::string model_name_;
  std::vector<NodePtr> nodes_;  // by NodeId::index; null where a base model has none
  std::vector<NodeId> inputs_;
  std::vector<Output> outputs_;
  std::vector<Block> blocks_;
  std::uint32_t open_block_ = kNoBlock;
  std::unordered_map<std::string, int> names_;  // how often a name was asked for
  std::optional<Rejection> refused_;
};

}  // namespace cambium::model
