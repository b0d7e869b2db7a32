#include "compile/layouts.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <vector>

namespace cambium::compile {
namespace {

using namespace model;

// A Composite that is left is a rewritten convolution.
bool works_on_channels(const Node& node) {
  return node.as<Conv>() || node.as<ConvTranspose>() || node.as<Pool>() || node.as<Composite>();
}

// Operators whose values may as well stand in any one order: their inputs and outputs want the same
// so that their loops run through memory in step.
bool keeps_order(const Node& node) {
  return node.as<Unary>() || node.as<Activation>() || node.as<Binary>() || node.as<Where>() ||
         node.as<Cast>() || node.as<BatchNorm>() || node.as<GroupNorm>() || node.as<Concat>() ||
         node.as<Split>() || node.as<Slice>() || node.as<Pad>() || node.as<Resize>() ||
         (node.as<Reduce>() && node.as<Reduce>()->keep);
}

// Nodes whose outputs want one order, by union-find. Leaves take no part: inputs are the caller's,
// weights are read as they are.
class Classes {
 public:
  explicit Classes(const Model& model) {
    std::uint32_t highest = 0;
    for (const NodePtr& node : model.nodes()) highest = std::max(highest, node->id.index);
    parent_.resize(highest + 1);
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t of(NodeId id) {
    std::uint32_t i = id.index;
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(NodeId a, NodeId b) { parent_[of(a)] = of(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

lower::Layouts choose_layouts(const Model& model) {
  Classes classes(model);
  std::vector<NodeId> channels;  // nodes whose outputs convolutions write or read
  for (const NodePtr& node : model.nodes()) {
    if (node->inputs.empty()) continue;
    if (works_on_channels(*node)) {
      channels.push_back(node->id);
      channels.push_back(node->inputs[0].node);
    }
    if (!keeps_order(*node)) continue;
    for (const Value value : node->inputs) {
      if (!model.node(value.node).inputs.empty() &&
          model.type(value).rank() == node->outputs[0].rank()) {
        classes.join(value.node, node->id);
      }
    }
  }
  std::unordered_set<std::uint32_t> last;
  for (const NodeId id : channels) last.insert(classes.of(id));
  std::unordered_set<NodeId> callers;
  for (const Output& output : model.outputs()) callers.insert(output.value.node);

  lower::Layouts layouts;
  for (const NodePtr& node : model.nodes()) {
    if (node->inputs.empty() || callers.count(node->id) || !last.count(classes.of(node->id))) {
      continue;
    }
    for (std::uint32_t slot = 0; slot < node->outputs.size(); ++slot) {
      const std::int64_t rank = node->outputs[slot].rank();
      if (rank >= 3 && rank <= 5) layouts.set({node->id, slot}, lower::channels_last(rank));
    }
  }
  return layouts;
}

}  // namespace cambium::compile
