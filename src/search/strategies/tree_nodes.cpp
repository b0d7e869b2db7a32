#include "search/strategies/tree_nodes.h"

#include <algorithm>

namespace cambium::search {

TreeEdge* TreeNode::edge(Label label) {
  const auto found = std::find_if(edges.begin(), edges.end(),
                                  [&](const TreeEdge& each) { return each.label == label; });
  return found == edges.end() ? nullptr : &*found;
}

Tally* TreeNode::local_tally(Label label) {
  if (hidden_count == 0 || edge(label) != nullptr ||
      std::binary_search(gone.begin(), gone.end(), label)) {
    return nullptr;
  }
  for (auto& [known, tally] : local) {
    if (known == label) return &tally;
  }
  return &local.emplace_back(label, Tally{}).second;
}

void TreeNode::set_gone(Label label) {
  gone.insert(std::lower_bound(gone.begin(), gone.end(), label), label);
}

NodeIndex TreeNodes::add(std::uint64_t identity, NodeIndex creator, Label via) {
  const auto index = static_cast<NodeIndex>(nodes_.size());
  TreeNode node;
  node.identity = identity;
  node.creator = creator;
  node.via = via;
  nodes_.push_back(std::move(node));
  by_identity_.emplace(identity, index);
  return index;
}

std::optional<NodeIndex> TreeNodes::find(std::uint64_t identity) const {
  const auto found = by_identity_.find(identity);
  if (found == by_identity_.end()) return std::nullopt;
  return found->second;
}

void TreeNodes::take(TreeNode& node, Label label) {
  --node.hidden_count;
  if (node.hidden) std::erase(*node.hidden, label);
  std::erase_if(node.local, [&](const auto& entry) { return entry.first == label; });
}

void TreeNodes::reveal(NodeIndex node, Label label, NodeIndex child) {
  take(nodes_[node], label);
  nodes_[node].edges.push_back({label, child, {}, 0});
  nodes_[child].parents.push_back(node);
}

void TreeNodes::use_up(NodeIndex node, Label label) {
  take(nodes_[node], label);
  nodes_[node].set_gone(label);
  if (nodes_[node].hidden_count == 0 && nodes_[node].edges.empty()) close(node);
}

void TreeNodes::close(NodeIndex first) {
  std::vector<NodeIndex> closing = {first};
  while (!closing.empty()) {
    const NodeIndex index = closing.back();
    closing.pop_back();
    TreeNode& node = nodes_[index];
    if (!node.is_open) continue;
    node.is_open = false;
    for (const NodeIndex parent_index : std::exchange(node.parents, {})) {
      TreeNode& parent = nodes_[parent_index];
      for (const TreeEdge& edge : parent.edges) {
        if (edge.child == index) parent.set_gone(edge.label);
      }
      std::erase_if(parent.edges, [&](const TreeEdge& edge) { return edge.child == index; });
      if (parent.hidden_count == 0 && parent.edges.empty()) closing.push_back(parent_index);
    }
    // Nothing is chosen here again. Open children keep their other parents.
    for (const TreeEdge& edge : node.edges) std::erase(nodes_[edge.child].parents, index);
    node.edges = {};
    node.gone = {};
    node.local = {};
    node.hidden = {};
  }
}

void TreeNodes::write(SnapshotWriter& out) const {
  out.count(nodes_);
  for (const TreeNode& node : nodes_) {
    // Losses follow from the running tickets, and creators of open nodes from the edges. Creators
    // of closed nodes are not needed.
    const int flags = (node.is_open ? 1 : 0) + (node.is_tried ? 2 : 0);
    out.hash(node.identity).number(flags);
    if (!node.is_open) continue;
    out.number(node.visits).number(node.hidden_count).count(node.edges);
    for (const TreeEdge& edge : node.edges) {
      out.number(edge.label).number(edge.child);
      search::write(out, edge.tally);
    }
    out.count(node.gone);
    for (const Label label : node.gone) out.number(label);
    out.count(node.local);
    for (const auto& [label, tally] : node.local) {
      out.number(label);
      search::write(out, tally);
    }
  }
}

void TreeNodes::read_node(SnapshotReader& in, std::int64_t nodes, std::int64_t labels) {
  const std::uint64_t identity = in.hash();
  const auto label = [&] { return static_cast<Label>(in.number(0, labels - 1)); };
  TreeNode& node = nodes_[add(identity, kNoNode, 0)];
  const std::int64_t flags = in.number(0, 3);
  node.is_open = (flags & 1) != 0;
  node.is_tried = (flags & 2) != 0;
  if (!node.is_open) return;
  node.visits = in.number(0, std::int64_t{1} << 40);
  node.hidden_count = in.number(-1, 1 << 30);
  for (std::size_t count = in.count(); node.edges.size() < count && in.ok();) {
    TreeEdge edge;
    edge.label = label();
    edge.child = static_cast<NodeIndex>(in.number(1, nodes - 1));
    edge.tally = read_tally(in);
    node.edges.push_back(edge);
  }
  for (std::size_t count = in.count(); node.gone.size() < count && in.ok();) {
    node.set_gone(label());
  }
  for (std::size_t count = in.count(); node.local.size() < count && in.ok();) {
    const Label of = label();
    node.local.emplace_back(of, read_tally(in));
  }
}

void TreeNodes::read(SnapshotReader& in, std::size_t labels) {
  const std::size_t count = in.count();
  nodes_.clear();
  by_identity_.clear();
  nodes_.reserve(count);
  by_identity_.reserve(count);
  while (nodes_.size() < count && in.ok()) {
    read_node(in, static_cast<std::int64_t>(count), static_cast<std::int64_t>(labels));
  }
  if (!in.ok()) return;
  for (NodeIndex i = 0; i < nodes_.size(); ++i) {
    for (const TreeEdge& edge : nodes_[i].edges) {
      TreeNode& child = nodes_[edge.child];
      child.parents.push_back(i);
      if (child.creator != kNoNode) continue;
      child.creator = i;
      child.via = edge.label;
    }
  }
}

bool TreeNodes::is_acyclic() const {
  std::vector<std::size_t> waiting;  // by node: parents that were not met
  std::vector<NodeIndex> ready;
  for (NodeIndex i = 0; i < nodes_.size(); ++i) {
    waiting.push_back(nodes_[i].parents.size());
    if (waiting[i] == 0) ready.push_back(i);
  }
  std::size_t met = 0;
  for (; !ready.empty(); ++met) {
    const NodeIndex index = ready.back();
    ready.pop_back();
    for (const TreeEdge& edge : nodes_[index].edges) {
      if (--waiting[edge.child] == 0) ready.push_back(edge.child);
    }
  }
  return met == nodes_.size();
}

}  // namespace cambium::search
