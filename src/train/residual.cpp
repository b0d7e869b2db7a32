#include "train/residual.h"

#include <algorithm>

namespace cambium::train {

std::vector<model::Value> branch_ends(const model::Model& model) {
  std::vector<model::Value> ends;
  std::vector<std::int64_t> depth;  // by node index: nodes on the longest way from an input; or 0
  for (const model::NodePtr& node : model.nodes()) {
    if (node->id.index >= depth.size()) depth.resize(node->id.index + 1);
    std::int64_t& own = depth[node->id.index];
    if (node->as<model::Input>() != nullptr) own = 1;
    for (const model::Value input : node->inputs) {
      const std::int64_t before = depth[input.node.index];
      if (before > 0) own = std::max(own, before + 1);
    }
    const auto* binary = node->as<model::Binary>();
    if (binary == nullptr || binary->fn != model::BinaryFn::Add) continue;
    const model::Value left = node->inputs[0], right = node->inputs[1];
    if (depth[left.node.index] == 0 || depth[right.node.index] == 0) continue;
    ends.push_back(depth[left.node.index] >= depth[right.node.index] ? left : right);
  }
  return ends;
}

std::vector<model::Value> dense_branch_ends(const model::Model& model) {
  std::vector<model::Value> ends;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Concat>() == nullptr || node->block == model::kNoBlock) continue;
    for (const model::Value input : node->inputs) {
      const model::Node& maker = model.node(input.node);
      const bool is_computed = maker.block == node->block && maker.as<model::Weight>() == nullptr;
      if (is_computed) ends.push_back(input);
    }
  }
  return ends;
}

}  // namespace cambium::train
