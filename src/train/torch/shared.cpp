#include "train/torch/shared.h"

#include <algorithm>
#include <unordered_set>

namespace cambium::train {

namespace {

// A lazy weight is named by its rule, so it can be found without being filled.
Fingerprint name_of(const model::Tensor& weight) {
  Hasher hasher;
  hasher.add(weight.dtype()).add_range(weight.dims());
  if (const auto fill = weight.fill()) {
    return hasher.add(true).add(fill->law).add(fill->scale).add(fill->seed).done();
  }
  return hasher.add(false).add(Fingerprint::of_bytes(weight.bytes())).done();
}

}  // namespace

torch::Tensor SharedWeights::leaf(const model::Tensor& weight,
                                  const std::function<torch::Tensor()>& make) {
  const Fingerprint name = name_of(weight);
  Leaf* leaf = nullptr;
  {
    const std::lock_guard lock(mutex_);
    leaf = &leaves_[name];
  }
  std::call_once(leaf->once, [&] { leaf->tensor = make(); });
  return leaf->tensor;
}

void SharedValues::begin(const model::Model& model, const Wanted& wanted) {
  std::uint32_t largest = 0;
  for (const model::NodePtr& node : model.nodes()) largest = std::max(largest, node->id.index);
  names_.assign(largest + std::size_t{1}, {});
  std::unordered_set<Fingerprint> present;
  std::uint64_t inputs = 0;
  for (const model::NodePtr& node : model.nodes()) {
    Hasher hasher;
    for (std::uint32_t slot = 0; slot < node->outputs.size(); ++slot) {
      hasher.add(wanted.contains({node->id, slot}));
    }
    if (node->as<model::Input>() != nullptr) {
      hasher.add("input").add(inputs++);
    } else if (const auto* weight = node->as<model::Weight>()) {
      hasher.add("weight").add(name_of(weight->value));
    } else {
      hasher.add("node").add(model::fields_fingerprint(node->op));
      for (const model::Value input : node->inputs) {
        hasher.add(names_[input.node.index]).add(input.slot);
      }
    }
    names_[node->id.index] = hasher.done();
    present.insert(hasher.done());
  }
  for (auto at = values_.begin(); at != values_.end();) {
    at = present.contains(at->first) ? std::next(at) : values_.erase(at);
  }
}

const std::vector<torch::Tensor>* SharedValues::find(model::NodeId node) const {
  const auto at = values_.find(names_[node.index]);
  return at == values_.end() ? nullptr : &at->second;
}

void SharedValues::put(model::NodeId node, const std::vector<torch::Tensor>& values) {
  values_.emplace(names_[node.index], values);
}

}  // namespace cambium::train
