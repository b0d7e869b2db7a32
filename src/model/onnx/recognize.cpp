#include "model/onnx/recognize.h"

#include <map>
#include <set>
#include <utility>

#include "model/builder.h"
#include "model/infer.h"
#include "model/onnx/patterns.h"

namespace cambium::model::onnx_io {

namespace {

using Replacements = std::map<NodeId, Replacement>;

// A pattern counts only where its single operator has exactly the type of what it replaces:
// constants of odd shapes may have broadcast on the way.
bool same_type(const Model& model, const Replacement& replacement, const Node& root) {
  std::vector<TensorType> types;
  for (const Source& source : replacement.inputs) {
    types.push_back(model.type(source.value));
    if (source.view) types.back().dims = *source.view;
  }
  const auto inferred = infer(replacement.op, types);
  return inferred.ok() && *inferred == root.outputs;
}

std::optional<Replacement> match(const Matcher& m, const Node& root) {
  for (const auto patterns : {activation_patterns(), norm_patterns()}) {
    for (const Pattern& pattern : patterns) {
      auto found = pattern.match(m, root);
      if (found && same_type(m.model(), *found, root)) return found;
    }
  }
  return std::nullopt;
}

Replacements find_all(const Model& model, const Annotations* own) {
  Replacements out;
  const Matcher m(model);
  for (const NodePtr& node : model.nodes()) {
    if (node->as<Binary>() == nullptr) continue;
    if (own != nullptr && own->composed.count(node->name) == 0) continue;
    if (auto found = match(m, *node)) out.emplace(node->id, *std::move(found));
  }
  return out;
}

// A view of a value: a reshape that undoes another is the value before it.
Source looked_through(const Model& model, Source source) {
  if (!source.view) return source;
  const Node& node = model.node(source.value.node);
  if (node.as<Reshape>() != nullptr && model.type(node.inputs[0]).dims == *source.view) {
    return {node.inputs[0], {}};
  }
  if (model.type(source.value).dims == *source.view) source.view.reset();
  return source;
}

// Makes the model again with the replacements in place, so that what they leave unused is gone and
// its names are free.
class Rebuild {
 public:
  Rebuild(const Model& model, Replacements replacements, const Annotations* own)
      : model_(model), replacements_(std::move(replacements)), own_(own), builder_(model.name()) {
    for (auto& [id, replacement] : replacements_) {
      for (Source& source : replacement.inputs) source = looked_through(model, std::move(source));
    }
  }

  Result<Model> run() {
    if (own_ != nullptr) {
      for (const Block& block : own_->blocks) builder_.add_block(block);
    }
    mark_live();
    for (const NodeId id : model_.inputs()) {
      const Node& node = model_.node(id);
      place(node, builder_.input(node.name, node.outputs[0]));
    }
    for (const NodePtr& node : model_.nodes()) {
      if (live_.count(node->id) > 0 && node->as<Input>() == nullptr) add(*node);
    }
    for (const Output& output : model_.outputs()) builder_.output(output.name, now(output.value));
    return std::move(builder_).finish();
  }

 private:
  void mark_live() {
    std::vector<NodeId> open;
    const auto reach = [&](Value value) {
      if (live_.insert(value.node).second) open.push_back(value.node);
    };
    for (const Output& output : model_.outputs()) reach(output.value);
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (const auto found = replacements_.find(id); found != replacements_.end()) {
        for (const Source& source : found->second.inputs) {
          // A weight that is only seen through a view is made again under that view.
          if (!source.view || model_.weight(source.value) == nullptr) reach(source.value);
        }
      } else {
        for (const Value value : model_.node(id).inputs) reach(value);
      }
    }
  }

  void add(const Node& node) {
    if (const Weight* weight = node.as<Weight>()) {
      return place(node, builder_.weight(node.name, weight->value));
    }
    const auto found = replacements_.find(node.id);
    Op op = found != replacements_.end() ? found->second.op : node.op;
    std::vector<Value> inputs;
    if (found != replacements_.end()) {
      for (const Source& source : found->second.inputs) inputs.push_back(viewed(source));
    } else {
      for (const Value value : node.inputs) inputs.push_back(now(value));
    }
    if (own_ != nullptr) {
      const auto exact = own_->exact.find(node.name);
      if (exact != own_->exact.end()) restore_exact(exact->second, node.outputs[0].dtype, op);
    }
    place(node, builder_.add(std::move(op), inputs, node.name));
  }

  void place(const Node& old, Value fresh) {
    fresh_.emplace(old.id, fresh.node);
    if (own_ == nullptr || !fresh.valid()) return;
    const auto block = own_->block_of.find(old.name);
    if (block != own_->block_of.end()) builder_.set_block(fresh.node, block->second);
  }

  Value now(Value old) const { return {fresh_.at(old.node), old.slot}; }

  Value viewed(const Source& source) {
    if (!source.view) return now(source.value);
    const auto key = std::make_pair(source.value, *source.view);
    if (const auto known = views_.find(key); known != views_.end()) return known->second;
    const Tensor* tensor = model_.weight(source.value);
    const Value value =
        tensor != nullptr
            ? builder_.weight(model_.node(source.value.node).name, tensor->reshaped(*source.view))
            : builder_.add(Reshape{*source.view}, {now(source.value)});
    views_.emplace(key, value);
    return value;
  }

  const Model& model_;
  Replacements replacements_;
  const Annotations* own_;
  Builder builder_;
  std::set<NodeId> live_;
  std::map<NodeId, NodeId> fresh_;
  std::map<std::pair<Value, Ints>, Value> views_;
};

}  // namespace

Result<Model> recognize(const Model& model, const Annotations* own) {
  Replacements replacements = find_all(model, own);
  if (replacements.empty() && own == nullptr) return model;
  return Rebuild(model, std::move(replacements), own).run();
}

}  // namespace cambium::model::onnx_io
