#include "spaces/loopnest/tree.h"

#include <algorithm>

#include "spaces/loopnest/walks.h"

namespace cambium::spaces::loopnest {

LoopNestTree::LoopNestTree(Survey& survey, const std::vector<Layer>& layers,
                           const LoopNestOptions& options)
    : survey_(survey), layers_(layers), options_(options) {
  intern({{""}, false});
}

TreeOfEdits::State LoopNestTree::intern(const Node& node) {
  const auto [place, is_new] = known_.emplace(node, static_cast<State>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return place->second;
}

// What is chosen before the present layer, or at all.
Draft LoopNestTree::draft_of(const Node& node) const {
  Draft draft(survey_);
  const std::size_t count = node.documents.size() - (node.is_leaf ? 0 : 1);
  for (std::size_t i = 0; i < count; ++i) {
    if (node.documents[i].empty()) continue;
    const auto variants = draft.variants(layers_[i]);
    const auto variant =
        variants.ok() ? (*variants)->read(node.documents[i]) : variants.rejection();
    if (variant.ok()) draft.choose(layers_[i], **variant);
  }
  return draft;
}

const Variant* LoopNestTree::present(const Draft& draft, const Node& node) const {
  if (node.is_leaf) return nullptr;
  const auto variants = draft.variants(layers_[node.documents.size() - 1]);
  if (!variants.ok()) return nullptr;
  const auto variant = (*variants)->read(node.documents.back());
  return variant.ok() ? *variant : nullptr;
}

LoopNestTree::Node LoopNestTree::finished_layer(Node node) const {
  if (node.documents.size() == layers_.size()) {
    node.is_leaf = true;
  } else {
    node.documents.emplace_back();
  }
  return node;
}

TreeOfEdits::Action LoopNestTree::action_of(const Node& node, const std::string& label,
                                            const std::string& kind) const {
  return {layers_[node.documents.size() - 1].name + ": " + label, kind};
}

void LoopNestTree::list(State state) {
  if (listed_ == state) return;
  listed_ = state;
  actions_.clear();
  behind_.clear();
  const Node node = nodes_[state];
  const Draft draft = draft_of(node);
  const Variant* const here = present(draft, node);
  if (here == nullptr) return;
  const Layer& layer = layers_[node.documents.size() - 1];
  actions_.push_back(action_of(node, "done", "done"));
  behind_.push_back(finished_layer(node));
  if (here->steps >= options_.steps) return;
  Variants& variants = **draft.variants(layer);
  const std::vector<Way>& ways = variants.ways(*here);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Way& way = ways[i];
    const Variant* const to = variants.behind(*here, i);
    if (to == nullptr || !draft.fits(layer, *to)) continue;
    Action action = action_of(node, way.label, way.kind);
    const auto has_label = [&](const Action& known) { return known.label == action.label; };
    if (std::any_of(actions_.begin(), actions_.end(), has_label)) continue;
    actions_.push_back(std::move(action));
    behind_.push_back(node);
    behind_.back().documents.back() = to->document;
  }
}

const std::vector<TreeOfEdits::Action>& LoopNestTree::actions(State state) {
  list(state);
  return actions_;
}

TreeOfEdits::State LoopNestTree::next(State state, std::size_t action) {
  list(state);
  return intern(behind_[action]);
}

std::optional<Edits> LoopNestTree::edits_of(const Node& node) const {
  const auto plan = draft_of(node).plan();
  if (!plan.ok() || plan->placed().empty()) return std::nullopt;
  return plan->edits();
}

std::optional<Edits> LoopNestTree::finished(State state) {
  const Node& node = nodes_[state];
  return node.is_leaf ? edits_of(node) : std::nullopt;
}

Fingerprint LoopNestTree::identity(State state) {
  const Node& node = nodes_[state];
  return Hasher().add(node.is_leaf).add_range(node.documents).done();
}

std::optional<TreeOfEdits::Descent> LoopNestTree::descend(State state, Rng& rng) {
  Node node = nodes_[state];
  Descent descent;
  Draft draft = draft_of(node);
  while (!node.is_leaf) {
    const Layer& layer = layers_[node.documents.size() - 1];
    const Variant* here = present(draft, node);
    if (here == nullptr) return std::nullopt;
    const bool goes_on = !rng.chance(options_.original);
    const std::int64_t left = options_.steps - here->steps;
    if (goes_on && left > 0) {
      std::vector<schedule::Move> trail;
      here = walk(draft, layer, *here, static_cast<int>(rng.between(1, left)), rng, &trail);
      for (const schedule::Move& move : trail) {
        descent.actions.push_back(action_of(node, move.label, move.kind));
      }
      node.documents.back() = here->document;
    }
    draft.choose(layer, *here);
    descent.actions.push_back(action_of(node, "done", "done"));
    node = finished_layer(std::move(node));
  }
  auto edits = edits_of(node);
  if (!edits) return std::nullopt;
  descent.edits = std::move(*edits);
  return descent;
}

}  // namespace cambium::spaces::loopnest
