#include "lower/groups.h"

#include <algorithm>
#include <list>
#include <unordered_map>
#include <unordered_set>

namespace cambium::lower {
namespace {

using namespace model;

// A program of more nodes is no faster, and scalars that are inlined into each other grow deep.
constexpr std::size_t kMostNodes = 24;

enum class Role : std::uint8_t { Leaf, Anchor, Elementwise, Movement };

struct RoleOf {
  Role operator()(const Input&) const { return Role::Leaf; }
  Role operator()(const Weight&) const { return Role::Leaf; }
  Role operator()(const Unary&) const { return Role::Elementwise; }
  Role operator()(const Activation&) const { return Role::Elementwise; }
  Role operator()(const Binary&) const { return Role::Elementwise; }
  Role operator()(const Where&) const { return Role::Elementwise; }
  Role operator()(const Cast&) const { return Role::Elementwise; }
  Role operator()(const BatchNorm&) const { return Role::Elementwise; }
  Role operator()(const Concat&) const { return Role::Movement; }
  Role operator()(const Split&) const { return Role::Movement; }
  Role operator()(const Slice&) const { return Role::Movement; }
  Role operator()(const Gather&) const { return Role::Movement; }
  Role operator()(const Reshape&) const { return Role::Movement; }
  Role operator()(const Transpose&) const { return Role::Movement; }
  Role operator()(const Expand&) const { return Role::Movement; }
  Role operator()(const Tile&) const { return Role::Movement; }
  Role operator()(const Pad&) const { return Role::Movement; }
  Role operator()(const Resize&) const { return Role::Movement; }
  Role operator()(const DepthToSpace&) const { return Role::Movement; }
  Role operator()(const SpaceToDepth&) const { return Role::Movement; }
  template <class Contraction>  // contractions, normalizations, reductions, pooling
  Role operator()(const Contraction&) const {
    return Role::Anchor;
  }
};

Role role_of(const Node& node) {
  return std::visit(RoleOf{}, node.op);
}

// Those that neither repeat elements nor take them from several values, so that what they read may
// be computed where they read it.
bool only_reorders(const Node& node) {
  return node.as<Slice>() || node.as<Reshape>() || node.as<Transpose>() ||
         node.as<DepthToSpace>() || node.as<SpaceToDepth>();
}

class Grouping {
 public:
  explicit Grouping(const Model& model) : model_(model), uses_(model) {}

  std::vector<FusionGroup> run() {
    for (const NodePtr& node : model_.nodes()) {
      if (role_of(*node) == Role::Leaf) continue;
      std::vector<NodeId>* group = group_to_join(*node);
      if (group == nullptr) group = &grown_.emplace_back();
      group->push_back(node->id);
      group_of_[node->id] = static_cast<std::size_t>(group - grown_.data());
    }
    std::vector<FusionGroup> groups;
    for (const std::vector<NodeId>& grown : grown_) cut(grown, groups);
    return groups;
  }

 private:
  // The group with the highest number among those that the node reads. Groups are numbered so that
  // each reads from lower ones only; joining the highest keeps that true, so no cycle can arise.
  std::vector<NodeId>* group_to_join(const Node& node) {
    const Role role = role_of(node);
    if (role == Role::Anchor || (role == Role::Movement && !only_reorders(node))) return nullptr;
    std::size_t highest = 0;
    bool found = false;
    for (const Value value : node.inputs) {
      const auto group = group_of_.find(value.node);
      if (group == group_of_.end()) continue;
      highest = found ? std::max(highest, group->second) : group->second;
      found = true;
    }
    if (!found) return nullptr;
    std::vector<NodeId>& group = grown_[highest];
    if (group.size() >= kMostNodes) return nullptr;
    if (role == Role::Movement && role_of(model_.node(group.front())) == Role::Anchor) {
      return nullptr;
    }
    for (const Value value : node.inputs) {
      const auto from = group_of_.find(value.node);
      if (from == group_of_.end() || from->second != highest) continue;
      if (model_.node(value.node).outputs.size() != 1) return nullptr;
      // A broadcast would compute what stands before it again for every element.
      if (role == Role::Elementwise && model_.type(value).dims != node.outputs[0].dims) {
        return nullptr;
      }
    }
    return &group;
  }

  // A group gives one value to the rest of the model. Growing did not look at that, since an inner
  // value may be read twice within the group (x * sigmoid(x)); here the longest beginning of it
  // with one value that is read outside becomes a group, and then the longest of what is left.
  void cut(std::span<const NodeId> nodes, std::vector<FusionGroup>& groups) const {
    while (!nodes.empty()) {
      std::size_t count = nodes.size();
      while (count > 1 && !gives_one_value(nodes.first(count))) --count;
      FusionGroup group{{nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count)},
                        nodes[count - 1]};
      if (role_of(model_.node(nodes.front())) == Role::Anchor) group.anchor = nodes.front();
      groups.push_back(std::move(group));
      nodes = nodes.subspan(count);
    }
  }

  bool gives_one_value(std::span<const NodeId> nodes) const {
    const std::unordered_set<NodeId> inside(nodes.begin(), nodes.end());
    for (const NodeId id : nodes.first(nodes.size() - 1)) {
      for (std::uint32_t slot = 0; slot < model_.node(id).outputs.size(); ++slot) {
        for (const Use& use : uses_.of({id, slot})) {
          if (inside.count(use.node) == 0) return false;
        }
      }
    }
    return true;
  }

  const Model& model_;
  Uses uses_;
  std::vector<std::vector<NodeId>> grown_;
  std::unordered_map<NodeId, std::size_t> group_of_;
};

}  // namespace

std::vector<FusionGroup> groups_of(const Model& model) {
  return Grouping(model).run();
}

}  // namespace cambium::lower
