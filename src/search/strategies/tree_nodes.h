// TreeNodes: the part of a space's tree that a search has seen, states shared. What can lead to
// nothing new is closed, and so is all above it of which nothing else is left.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/strategies/labels.h"
#include "search/tally.h"
#include "spaces/space.h"

namespace cambium::search {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = ~0u;

struct TreeEdge {
  Label label = 0;
  NodeIndex child = kNoNode;
  Tally tally;
  int losses = 0;  // tickets under way through it
};

struct TreeNode {
  std::uint64_t identity = 0;
  NodeIndex creator = kNoNode;  // from which `via` leads here
  Label via = 0;
  std::int64_t visits = 0;
  int losses = 0;
  bool is_open = true;
  bool is_tried = false;           // something was drawn below it: next, its children
  std::int64_t hidden_count = -1;  // actions that were never taken; -1: not yet asked
  std::vector<TreeEdge> edges;     // to children that are open
  std::vector<Label> gone;         // led to a leaf, which is used up, or to what is closed; sorted
  std::vector<std::pair<Label, Tally>> local;  // RAVE of this node, for actions never taken
  std::vector<NodeIndex> parents;              // that have an edge here

  // Of the space object at hand, not of the search: found again when asked for.
  std::optional<spaces::TreeOfEdits::State> state;
  std::optional<std::vector<Label>> hidden;

  TreeEdge* edge(Label label);  // null where there is none
  void set_gone(Label label);
  Tally* local_tally(Label label);  // made where there is none; null where the action was taken
};

class TreeNodes {
 public:
  // Node 0, without a creator.
  explicit TreeNodes(std::uint64_t root_identity) { add(root_identity, kNoNode, 0); }

  TreeNode& operator[](NodeIndex i) { return nodes_[i]; }
  const TreeNode& operator[](NodeIndex i) const { return nodes_[i]; }
  std::size_t size() const { return nodes_.size(); }
  NodeIndex add(std::uint64_t identity, NodeIndex creator, Label via);
  std::optional<NodeIndex> find(std::uint64_t identity) const;

  // An action that was hidden now leads to a child, or is used up.
  void reveal(NodeIndex node, Label label, NodeIndex child);
  void use_up(NodeIndex node, Label label);
  void close(NodeIndex node);

  void write(SnapshotWriter& out) const;
  void read(SnapshotReader& in, std::size_t labels);
  // What was read may be a text that nobody wrote: a way that comes back to itself has no end.
  bool is_acyclic() const;

 private:
  void take(TreeNode& node, Label label);
  void read_node(SnapshotReader& in, std::int64_t nodes, std::int64_t labels);

  std::vector<TreeNode> nodes_;
  std::unordered_map<std::uint64_t, NodeIndex> by_identity_;
};

}  // namespace cambium::search
