// The loop-nest space as a tree: layer by layer, and at a layer move by move. A state is the list
// of functions chosen so far, so different orders of the same steps lead to one state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spaces/loopnest/layers.h"
#include "spaces/loopnest/options.h"
#include "spaces/space.h"

namespace cambium::spaces::loopnest {

class LoopNestTree final : public TreeOfEdits {
 public:
  // The arguments must outlive the tree.
  LoopNestTree(Survey& survey, const std::vector<Layer>& layers, const LoopNestOptions& options);

  State root() override { return 0; }
  const std::vector<Action>& actions(State state) override;
  State next(State state, std::size_t action) override;
  std::optional<Edits> finished(State state) override;
  Fingerprint identity(State state) override;
  std::optional<Descent> descend(State state, Rng& rng) override;

 private:
  // The documents of the layers up to the current one. A leaf has the documents of all layers and
  // no current layer.
  struct Node {
    std::vector<std::string> documents;
    bool is_leaf = false;

    friend auto operator<=>(const Node&, const Node&) = default;
  };
  State intern(const Node& node);
  Draft draft_of(const Node& node) const;
  const Variant* present(const Draft& draft, const Node& node) const;
  Node finished_layer(Node node) const;
  Action action_of(const Node& node, const std::string& label, const std::string& kind) const;
  std::optional<Edits> edits_of(const Node& node) const;
  void list(State state);

  Survey& survey_;
  const std::vector<Layer>& layers_;
  const LoopNestOptions& options_;
  std::vector<Node> nodes_;
  std::map<Node, State> known_;
  // Of the state that was listed last.
  std::optional<State> listed_;
  std::vector<Action> actions_;
  std::vector<Node> behind_;  // by action
};

}  // namespace cambium::spaces::loopnest
