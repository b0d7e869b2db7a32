// The space as a graph, for tree search: nodes are interfaces, whatever order of primitives led to
// them, then interfaces with some of their weights, then operators. Hash-consed, so that searches
// share what they learn about a node. Only actions behind which there may be an operator are
// listed: exactly where that is decided within the patience, as far as the shape distance tells
// beyond it; what turns out to lead nowhere, by budgets too, is left out from then on.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/fingerprint.h"
#include "base/random.h"
#include "spaces/coordinate/synthesis/budgets.h"
#include "spaces/coordinate/synthesis/reach.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate::synthesis {

using NodeId = std::uint32_t;

// A primitive, one more weight (CONTRACTION), or the end: no more weights.
struct Action {
  Step step;         // of a REDUCE or a view; its kind is Contraction for a weight and for the end
  Reads weight = 0;  // what a weight reads, by places in the anatomy of the state; 0: the end
  NodeId next = 0;
};

struct GraphOptions : Budgets {
  int patience = 600;  // primitives that may be applied to decide one state's fate; 0: all it takes
};

// One for each thread; the space must outlive it.
class Graph {
 public:
  explicit Graph(Space& space, const GraphOptions& options = {});

  NodeId root() const { return 0; }
  // Each leads to another node. None: the node is an operator, or dead.
  std::vector<Action> actions(NodeId id);
  bool is_final(NodeId id) const { return nodes_[id].is_final; }
  bool is_dead(NodeId id) const;

  // Of a final node. Whether it keeps the budgets by its true costs has to be asked.
  Operator finished(NodeId id) const;
  bool is_within_budgets(NodeId id) const;

  // A random final node behind this one, kinds of primitives first; none if there is none.
  std::optional<NodeId> descend(NodeId id, Rng& rng);

  // The same in every run and whatever was asked before.
  Fingerprint identity(NodeId id) const;
  // What an action is, whichever coordinates it takes: `unfold H k`, `weight Ci Co`, `end`.
  std::string label(NodeId from, const Action& action) const;
  std::string text(NodeId id) const;

  std::size_t count() const { return nodes_.size(); }
  Reach& reach() { return reach_; }
  std::size_t bytes() const;

 private:
  struct Node {
    StateId state = kNoState;
    bool is_final = false, is_dead = false;
    Choice chosen;  // without axes: weights have not begun

    bool has_begun() const { return chosen.axes.size() > 0 || is_final; }
  };

  NodeId intern(const Node& node);
  int left(StateId id) const { return space_.limits.primitives - space_.states.counts(id).all(); }
  // Whether the state leads anywhere, as far as is known; a stage also by more reductions.
  bool is_open(StateId id);
  void add_steps(NodeId id, std::vector<Action>& out);
  void add_weights(NodeId id, std::vector<Action>& out);
  const std::vector<Choice>& choices(StateId id);  // good ones; valid until asked again

  Space& space_;
  GraphOptions options_;
  Reach reach_;
  std::vector<Node> nodes_;
  Interned table_;
  std::unordered_map<StateId, std::vector<Choice>> choices_;
  std::size_t listed_ = 0;
};

}  // namespace cambium::spaces::coordinate::synthesis
