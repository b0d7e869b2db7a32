// TreeNodes: the part of a space's tree that a search has seen. Equal states share a node. A node
// that leads to nothing new is closed, and so is every node above whose children are all closed.
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
  int losses = 0;  // running tickets through this edge
};

struct TreeNode {
  std::uint64_t identity = 0;
  NodeIndex creator = kNoNode;  // from which `via` leads here
  Label via = 0;
  std::int64_t visits = 0;
  int losses = 0;
  bool is_open = true;
  bool is_tried = false;                       // a descent began here; next come its children
  std::int64_t hidden_count = -1;              // actions never taken; -1: not counted yet
  std::vector<TreeEdge> edges;                 // to open children
  std::vector<Label> gone;                     // actions to used leaves and closed nodes, sorted
  std::vector<std::pair<Label, Tally>> local;  // RAVE of this node, for actions never taken
  std::vector<NodeIndex> parents;              // nodes with an edge to this one

  // Belongs to the space object at hand; looked up again after a restore.
  std::optional<spaces::TreeOfEdits::State> state;
  std::optional<std::vector<Label>> hidden;

  TreeEdge* edge(Label label);  // null: no such edge
  void set_gone(Label label);
  Tally* local_tally(Label label);  // made if it is missing; null: the action was taken
};

class TreeNodes {
 public:
  // Node 0, which has no creator.
  explicit TreeNodes(std::uint64_t root_identity) { add(root_identity, kNoNode, 0); }

  TreeNode& operator[](NodeIndex i) { return nodes_[i]; }
  const TreeNode& operator[](NodeIndex i) const { return nodes_[i]; }
  std::size_t size() const { return nodes_.size(); }
  NodeIndex add(std::uint64_t identity, NodeIndex creator, Label via);
  std::optional<NodeIndex> find(std::uint64_t identity) const;

  // A hidden action now leads to a child, or is used up.
  void reveal(NodeIndex node, Label label, NodeIndex child);
  void use_up(NodeIndex node, Label label);
  void close(NodeIndex node);

  void write(SnapshotWriter& out) const;
  void read(SnapshotReader& in, std::size_t labels);
  // Whether the nodes have a cycle: a text from outside may hold one.
  bool is_acyclic() const;

 private:
  void take(TreeNode& node, Label label);
  void read_node(SnapshotReader& in, std::int64_t nodes, std::int64_t labels);

  std::vector<TreeNode> nodes_;
  std::unordered_map<std::uint64_t, NodeIndex> by_identity_;
};

}  // namespace cambium::search
