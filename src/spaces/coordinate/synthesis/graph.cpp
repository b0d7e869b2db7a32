#include "spaces/coordinate/synthesis/graph.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

constexpr std::size_t kMostListed = 20'000;       // choices of one state; more are not offered
constexpr std::size_t kMostRemembered = 1 << 21;  // of all states, before they are listed again

bool includes(const Few<Reads, kMaxWeights>& all, const Few<Reads, kMaxWeights>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

Graph::Graph(Space& space, const GraphOptions& options)
    : space_(space), options_(options), reach_(space, options.patience) {
  intern({space.root, false, false, {}});
}

NodeId Graph::intern(const Node& node) {
  std::uint64_t hash = mix(node.state, node.is_final ? 1 : 0);
  for (const Reads weight : node.chosen.weights) hash = mix(hash, weight);
  for (const std::uint8_t axis : node.chosen.axes) hash = mix(hash, axis);
  const auto added = static_cast<NodeId>(nodes_.size());
  const NodeId place = table_.find_or_add(hash, added, [&](NodeId other) {
    const Node& o = nodes_[other];
    return o.state == node.state && o.is_final == node.is_final && o.chosen == node.chosen;
  });
  if (place == added) nodes_.push_back(node);
  return place;
}

bool Graph::is_dead(NodeId id) const {
  return nodes_[id].is_dead;
}

bool Graph::is_open(StateId id) {
  if (reach_.fate(id, left(id)) != Fate::Dead) return true;
  if (space_.states.stage(id) != id) return false;
  const State state = space_.states.unpack(id);
  Steps steps;
  offer_reductions(space_, state, steps);
  return std::any_of(steps.begin(), steps.end(),
                     [&](const Step& step) { return is_open(apply(space_, state, step)); });
}

const std::vector<Choice>& Graph::choices(StateId id) {
  if (listed_ > kMostRemembered) {
    choices_.clear();
    listed_ = 0;
  }
  const auto [place, is_new] = choices_.try_emplace(id);
  std::vector<Choice>& all = place->second;
  if (!is_new || !may_match(space_, space_.states.data(id))) return all;
  const Finishing finishing(space_, id, &options_);
  const int most = std::min(left(id), space_.limits.weights);
  for (int weights = space_.limits.weight_free ? 0 : 1; weights <= most; ++weights) {
    finishing.each(weights, [&](const Choice& choice) {
      all.push_back(choice);
      return all.size() < kMostListed;
    });
  }
  listed_ += all.size();
  return all;
}

void Graph::add_steps(NodeId id, std::vector<Action>& out) {
  const StateId from = nodes_[id].state;
  const State state = space_.states.unpack(from);
  Steps steps;
  if (space_.states.stage(from) == from) offer_reductions(space_, state, steps);
  if (left(from) > (space_.limits.weight_free ? 0 : 1)) offer_views(space_, state, steps);
  for (const Step& step : steps) {
    if (forbidding(space_, state, step) != nullptr) continue;
    const bool is_reduce = step.kind == PrimitiveKind::Reduce;
    if (!is_reduce && reach_.distances().least(state, step) >= left(from)) continue;
    const StateId to = apply(space_, state, step);
    // Steps that differ by the names of equal reductions lead to one node.
    const NodeId next = intern({to, false, false, {}});
    const bool is_known = std::any_of(out.begin(), out.end(),
                                      [&](const Action& other) { return other.next == next; });
    if (!is_known && !is_dead(next) && is_open(to)) out.push_back({step, 0, next});
  }
}

void Graph::add_weights(NodeId id, std::vector<Action>& out) {
  const Node node = nodes_[id];
  const std::size_t begin = out.size();
  const auto add = [&](Reads weight, const Node& to) {
    const NodeId next = intern(to);
    for (std::size_t i = begin; i < out.size(); ++i) {
      if (out[i].next == next) return;
    }
    if (!is_dead(next)) {
      out.push_back({{PrimitiveKind::Contraction, kSizeOne, kNoCoord, kNoCoord}, weight, next});
    }
  };
  for (const Choice& choice : choices(node.state)) {
    if (node.has_begun() && !(node.chosen.axes == choice.axes)) continue;
    if (!includes(choice.weights, node.chosen.weights)) continue;
    if (choice.weights == node.chosen.weights) {
      add(0, {node.state, true, false, choice});
      continue;
    }
    for (const Reads weight : choice.weights) {
      Choice more = choice;
      more.weights = node.chosen.weights;
      if (std::find(more.weights.begin(), more.weights.end(), weight) != more.weights.end()) {
        continue;
      }
      more.weights.push_back(weight);
      sort_few(more.weights);
      add(weight, {node.state, false, false, more});
    }
  }
}

std::vector<Action> Graph::actions(NodeId id) {
  std::vector<Action> out;
  if (nodes_[id].is_final || nodes_[id].is_dead) return out;
  if (!nodes_[id].has_begun()) add_steps(id, out);
  add_weights(id, out);
  nodes_[id].is_dead = out.empty();
  return out;
}

Operator Graph::finished(NodeId id) const {
  const Node& node = nodes_[id];
  CAMBIUM_CHECK(node.is_final, "only a final node is an operator");
  Anatomy anatomy;
  CAMBIUM_CHECK(dissect(space_, node.state, anatomy), "its weights were chosen");
  return finish(space_, anatomy, node.chosen);
}

bool Graph::is_within_budgets(NodeId id) const {
  Anatomy anatomy;
  CAMBIUM_CHECK(dissect(space_, nodes_[id].state, anatomy), "its weights were chosen");
  return is_within(options_, space_, anatomy, nodes_[id].chosen, finished(id));
}

std::optional<NodeId> Graph::descend(NodeId id, Rng& rng) {
  if (nodes_[id].is_final) return id;
  std::vector<Action> all = actions(id);
  while (!all.empty()) {
    std::vector<PrimitiveKind> kinds;
    for (const Action& action : all) {
      if (kinds.empty() || kinds.back() != action.step.kind) kinds.push_back(action.step.kind);
    }
    const PrimitiveKind kind = kinds[rng.below(kinds.size())];
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const Action& a) { return a.step.kind == kind; });
    const auto end =
        std::find_if(first, all.end(), [&](const Action& a) { return a.step.kind != kind; });
    const auto drawn =
        first + static_cast<std::ptrdiff_t>(rng.below(static_cast<std::uint64_t>(end - first)));
    if (const auto found = descend(drawn->next, rng)) return found;
    all.erase(drawn);
  }
  nodes_[id].is_dead = true;
  return std::nullopt;
}

std::string Graph::text(NodeId id) const {
  const Node& node = nodes_[id];
  const auto& names = space_.problem.sizes;
  std::string out = space_.states.text(node.state, names);
  if (!node.has_begun()) return out;
  Anatomy anatomy;
  CAMBIUM_CHECK(dissect(space_, node.state, anatomy), "its weights were chosen");
  const auto coord = [&](std::size_t place) {
    return space_.coordinates.text(anatomy.coords[place], names);
  };
  out += " x[";
  for (std::size_t i = 0; i < node.chosen.axes.size(); ++i) {
    if (i > 0) out += ", ";
    out += coord(node.chosen.axes[i]);
  }
  out += "]";
  for (const Reads weight : node.chosen.weights) {
    out += " w[";
    for (Reads rest = weight; rest != 0; rest &= rest - 1) {
      if (rest != weight) out += ", ";
      out += coord(static_cast<std::size_t>(std::countr_zero(rest)));
    }
    out += "]";
  }
  return out + (node.is_final ? " end" : "");
}

Fingerprint Graph::identity(NodeId id) const {
  return fingerprint_of(text(id));
}

std::string Graph::label(NodeId from, const Action& action) const {
  const auto& names = space_.problem.sizes;
  const auto size = [&](CoordId c) {
    return names.print(space_.sizes[space_.coordinates.size(c)].size);
  };
  const Step& step = action.step;
  if (step.kind == PrimitiveKind::Contraction) {
    if (action.weight == 0) return "end";
    Anatomy anatomy;
    CAMBIUM_CHECK(dissect(space_, nodes_[from].state, anatomy), "its weights were chosen");
    std::vector<std::string> sizes;
    for (Reads rest = action.weight; rest != 0; rest &= rest - 1) {
      sizes.push_back(size(anatomy.coords[static_cast<std::size_t>(std::countr_zero(rest))]));
    }
    std::sort(sizes.begin(), sizes.end());
    std::string out = "weight";
    for (const std::string& one : sizes) out.append(" ").append(one);
    return out;
  }
  std::string out = lower(row(step.kind).name);
  const auto add = [&](const std::string& word) { out.append(" ").append(word); };
  if (step.first != kNoCoord) add(size(step.first));
  if (step.second != kNoCoord) add(size(step.second));
  if (step.size != kSizeOne) add(names.print(space_.sizes[step.size].size));
  return out;
}

std::size_t Graph::bytes() const {
  return nodes_.capacity() * sizeof(Node) + table_.bytes() + reach_.bytes() +
         listed_ * sizeof(Choice);
}

}  // namespace cambium::spaces::coordinate::synthesis
