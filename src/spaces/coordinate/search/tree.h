// The coordinate space as a tree: from the output first the REDUCEs, then the other primitives, one
// at a time, and last the weights, which complete an operator. States are those of the synthesis,
// so two orders of the same steps meet. A leaf over budget is a dead end.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "spaces/coordinate/search/draw.h"
#include "spaces/space.h"

namespace cambium::spaces::coordinate {

class EditTree final : public TreeOfEdits {
 public:
  // One for each family. The objects that it refers to must outlive the tree.
  struct Branch {
    std::string label;  // its shapes
    std::function<Drawing&()> drawing;
    Wanted wanted;
    std::function<Edit(const Operator&)> edit;
  };
  explicit EditTree(std::vector<Branch> branches);

  // What a state is in terms of synthesis.
  enum class Kind : std::uint8_t { Families, Steps, Weights, Leaf };
  struct Node {
    Kind kind = Kind::Families;
    std::size_t branch = 0;
    synthesis::StateId at = synthesis::kNoState;
    synthesis::Choice choice;  // of a Leaf

    friend bool operator==(const Node&, const Node&) = default;
  };
  const Node& behind(State state, std::size_t action);  // valid until the next call
  synthesis::Space& space(std::size_t branch) { return branches_[branch].drawing().space(); }

  State root() override { return 0; }
  const std::vector<Action>& actions(State state) override;
  State next(State state, std::size_t action) override;
  std::optional<Edits> finished(State state) override;
  Fingerprint identity(State state) override;
  std::optional<Descent> descend(State state, Rng& rng) override;

 private:
  State intern(const Node& node);
  Node begin(std::size_t branch);
  Drawing& drawing(const Node& node) { return branches_[node.branch].drawing(); }
  void list(State state);
  void list_steps(const Node& node);
  void list_weights(const Node& node);
  Action action_of(const Node& node, const synthesis::Step& step);
  std::string choice_text(const Node& node, const synthesis::Anatomy& anatomy,
                          const synthesis::Choice& choice);
  std::optional<Descent> descend_once(const Node& from, Rng most, Rng& rng);

  std::vector<Branch> branches_;
  std::vector<Node> nodes_;
  using Key = std::tuple<std::uint8_t, std::size_t, synthesis::StateId, std::vector<std::uint32_t>>;
  std::map<Key, State> known_;
  // Of the state that was listed last.
  std::optional<State> listed_;
  std::vector<Action> actions_;
  std::vector<Node> behind_;  // by action
};

}  // namespace cambium::spaces::coordinate
