#include "spaces/coordinate/search/tree.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/text.h"
#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/primitives/all.h"

namespace cambium::spaces::coordinate {

namespace {

using synthesis::Choice;
using synthesis::kNoState;
using synthesis::StateId;

constexpr int kWalks = 160;  // that one descent takes at most; of 20 about one ends in an edit
const TreeOfEdits::Action kFinish{"weights", "contraction"};

Operator operator_of(synthesis::Space& space, StateId id, const Choice& choice) {
  const synthesis::Finishing finishing(space, id);
  return synthesis::finish(space, finishing.anatomy(), choice);
}

}  // namespace

EditTree::EditTree(std::vector<Branch> branches) : branches_(std::move(branches)) {
  intern(branches_.size() == 1 ? begin(0) : Node{});
}

EditTree::Node EditTree::begin(std::size_t branch) {
  return {Kind::Steps, branch, branches_[branch].drawing().space().root, {}};
}

TreeOfEdits::State EditTree::intern(const Node& node) {
  std::vector<std::uint32_t> choice(node.choice.weights.begin(), node.choice.weights.end());
  choice.insert(choice.end(), node.choice.axes.begin(), node.choice.axes.end());
  const Key key{static_cast<std::uint8_t>(node.kind), node.branch, node.at, std::move(choice)};
  const auto [place, fresh] = known_.emplace(key, static_cast<State>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  return place->second;
}

TreeOfEdits::Action EditTree::action_of(const Node& node, const synthesis::Step& step) {
  return {synthesis::text(drawing(node).space(), step), std::string(name_of(step.kind))};
}

// `w1[o1, r0:k] w2[...] x[...]`: what each weight and the input read.
std::string EditTree::choice_text(const Node& node, const synthesis::Anatomy& anatomy,
                                  const Choice& choice) {
  const synthesis::Space& space = drawing(node).space();
  const auto text_of = [&](std::size_t place) {
    return space.coordinates.text(anatomy.coords[place], space.problem.sizes);
  };
  std::string out;
  for (const synthesis::Reads weight : choice.weights) {
    std::vector<std::string> reads;
    for (synthesis::Reads rest = weight; rest != 0; rest &= rest - 1) {
      reads.push_back(text_of(static_cast<std::size_t>(std::countr_zero(rest))));
    }
    out += "w[" + join(reads, ", ") + "] ";
  }
  std::vector<std::string> axes;
  for (const std::uint8_t place : choice.axes) axes.push_back(text_of(place));
  return out + "x[" + join(axes, ", ") + "]";
}

void EditTree::list_steps(const Node& node) {
  Drawing& draws = drawing(node);
  const auto add = [&](const std::vector<Way>& ways) {
    for (const Way& way : ways) {
      actions_.push_back(action_of(node, way.step));
      behind_.push_back({Kind::Steps, node.branch, way.next, {}});
    }
  };
  add(draws.reductions(node.at));
  add(draws.views(node.at));
  if (!draws.is_end(node.at)) return;
  actions_.push_back(kFinish);
  behind_.push_back({Kind::Weights, node.branch, node.at, {}});
}

void EditTree::list_weights(const Node& node) {
  Drawing& draws = drawing(node);
  const synthesis::Finishing finishing(draws.space(), node.at);
  for (const Choice& choice : draws.choices(finishing, node.at)) {
    actions_.push_back({choice_text(node, finishing.anatomy(), choice), "weights"});
    behind_.push_back({Kind::Leaf, node.branch, node.at, choice});
  }
}

void EditTree::list(State state) {
  if (listed_ == state) return;
  listed_ = state;
  actions_.clear();
  behind_.clear();
  const Node node = nodes_[state];
  switch (node.kind) {
    case Kind::Families:
      for (std::size_t i = 0; i < branches_.size(); ++i) {
        actions_.push_back({branches_[i].label, "family"});
        behind_.push_back(begin(i));
      }
      break;
    case Kind::Steps: list_steps(node); break;
    case Kind::Weights: list_weights(node); break;
    case Kind::Leaf: break;
  }
  // By their labels: the order in which states were met does not show.
  std::vector<std::size_t> order(actions_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return actions_[a].label < actions_[b].label; });
  std::vector<Action> actions;
  std::vector<Node> behind;
  for (const std::size_t i : order) {
    if (!actions.empty() && actions.back().label == actions_[i].label) continue;
    actions.push_back(std::move(actions_[i]));
    behind.push_back(behind_[i]);
  }
  actions_ = std::move(actions);
  behind_ = std::move(behind);
}

const std::vector<TreeOfEdits::Action>& EditTree::actions(State state) {
  list(state);
  return actions_;
}

const EditTree::Node& EditTree::behind(State state, std::size_t action) {
  list(state);
  return behind_[action];
}

TreeOfEdits::State EditTree::next(State state, std::size_t action) {
  list(state);
  return intern(behind_[action]);
}

std::optional<Edits> EditTree::finished(State state) {
  const Node node = nodes_[state];
  if (node.kind != Kind::Leaf) return std::nullopt;
  const Operator op = operator_of(drawing(node).space(), node.at, node.choice);
  if (!branches_[node.branch].wanted(op)) return std::nullopt;
  return Edits{branches_[node.branch].edit(op)};
}

Fingerprint EditTree::identity(State state) {
  const Node node = nodes_[state];
  Hasher hasher;
  hasher.add(node.kind).add(node.branch);
  if (node.kind == Kind::Families) return hasher.done();
  synthesis::Space& space = drawing(node).space();
  hasher.add(space.states.text(node.at, space.problem.sizes));
  if (node.kind == Kind::Leaf) {
    const synthesis::Finishing finishing(space, node.at);
    hasher.add(choice_text(node, finishing.anatomy(), node.choice));
  }
  return hasher.done();
}

std::optional<TreeOfEdits::Descent> EditTree::descend_once(const Node& from, Rng most, Rng& rng) {
  Descent descent;
  Node node = from;
  if (node.kind == Kind::Families) {
    node = begin(static_cast<std::size_t>(rng.below(branches_.size())));
    descent.actions.push_back({branches_[node.branch].label, "family"});
  }
  if (node.kind == Kind::Steps) {
    std::vector<Way> trail;
    node.at = drawing(node).walk_from(node.at, most, rng, trail);
    if (node.at == kNoState) return std::nullopt;
    for (const Way& way : trail) descent.actions.push_back(action_of(node, way.step));
    descent.actions.push_back(kFinish);
  }
  const synthesis::Finishing finishing(drawing(node).space(), node.at);
  // Activations are asked for by whoever takes the edit.
  const Wanted& wanted = branches_[node.branch].wanted;
  const Wanted cheap{wanted.is_cheap, [](const Operator&) { return true; }};
  const auto choice = drawing(node).draw_weights(finishing, node.at, rng, cheap);
  if (!choice) return std::nullopt;
  descent.actions.push_back({choice_text(node, finishing.anatomy(), *choice), "weights"});
  const Operator op = synthesis::finish(drawing(node).space(), finishing.anatomy(), *choice);
  descent.edits = {branches_[node.branch].edit(op)};
  descent.keeps_limits = [is_light = wanted.is_light, op] { return is_light(op); };
  return descent;
}

std::optional<TreeOfEdits::Descent> EditTree::descend(State state, Rng& rng) {
  const Node node = nodes_[state];
  if (node.kind == Kind::Leaf) {
    if (auto edits = finished(state)) return Descent{std::move(*edits), {}};
    return std::nullopt;
  }
  const Rng most(rng.next_u64());
  for (int i = 0; i < kWalks; ++i) {
    if (auto descent = descend_once(node, most, rng)) return descent;
  }
  return std::nullopt;
}

}  // namespace cambium::spaces::coordinate
