#include "search/replay_space.h"

#include <algorithm>
#include <tuple>

#include "search/ancestors.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/synthesis/path.h"

namespace cambium::bench {

namespace coordinate = spaces::coordinate;
using coordinate::EditTree;

// Walks the real tree and copies what leads to recorded candidates.
class ReplayBuilder {
 public:
  ReplayBuilder(coordinate::CoordinateSpace& from, ReplaySpace& to)
      : from_(from), to_(to), tree_(*from.tree()) {
    for (std::size_t i = 0; i < from.families().size(); ++i) {
      ancestors_.emplace_back(tree_.space(i));
    }
  }

  Status add(const model::Model& base, const TableRow& row, std::size_t number) {
    if (row.candidate.edits.size() != 1) return Ok{};
    CAMBIUM_TRY(const spaces::Edit edit, from_.check(base, row.candidate.edits[0]));
    const auto family = family_of(edit);
    if (!family) return Ok{};
    const coordinate::Family& of = from_.families()[*family];
    CAMBIUM_TRY(const coordinate::EditDocument document,
                coordinate::read_edit_document(edit.document));
    for (const auto& [name, value] : document.values) {
      const auto known = of.values.find(name);
      if (known == of.values.end() || known->second != value) return Ok{};
    }
    CAMBIUM_TRY(const coordinate::Operator op, coordinate::parse(of.problem, document.op));
    const auto path = coordinate::synthesis::path_to(tree_.space(*family), op);
    if (!path.is_in_space() || to_.row_of_.contains(edit.document)) return Ok{};
    const auto leaf = static_cast<std::uint32_t>(to_.edits_.size());
    if (!leaves_.emplace(key_of({EditTree::Kind::Leaf, *family, path.state, path.choice}), leaf)
             .second) {
      return Ok{};
    }
    ancestors_[*family].add(path.state);
    to_.edits_.push_back(edit);
    to_.rows_.push_back(number);
    to_.row_of_.emplace(edit.document, number);
    return Ok{};
  }

  void copy_tree() { copy(tree_.root(), std::nullopt); }

 private:
  using State = spaces::TreeOfEdits::State;
  using Key = std::tuple<std::size_t, coordinate::synthesis::StateId, std::vector<std::uint32_t>>;

  static Key key_of(const EditTree::Node& node) {
    std::vector<std::uint32_t> choice(node.choice.weights.begin(), node.choice.weights.end());
    choice.insert(choice.end(), node.choice.axes.begin(), node.choice.axes.end());
    return {node.branch, node.at, std::move(choice)};
  }

  std::optional<std::size_t> family_of(const spaces::Edit& edit) const {
    for (std::size_t i = 0; i < from_.families().size(); ++i) {
      for (const spaces::Place& place : from_.families()[i].places) {
        if (place.name == edit.sites.at(0)) return i;
      }
    }
    return std::nullopt;
  }

  std::optional<std::uint32_t> leaf_at(const EditTree::Node& node) const {
    if (node.kind != EditTree::Kind::Leaf) return std::nullopt;
    const auto found = leaves_.find(key_of(node));
    if (found == leaves_.end()) return std::nullopt;
    return found->second;
  }

  bool is_wanted(const EditTree::Node& node) const {
    if (node.kind == EditTree::Kind::Families) return true;
    if (node.kind == EditTree::Kind::Leaf) return leaf_at(node).has_value();
    return ancestors_[node.branch].contains(node.at);
  }

  // The state here; nothing is below it where no recorded edit is.
  State copy(State theirs, std::optional<std::uint32_t> leaf) {
    const auto [place, is_new] = copies_.emplace(theirs, static_cast<State>(to_.nodes_.size()));
    const State mine = place->second;
    if (!is_new) return mine;
    ReplaySpace::Node node;
    node.identity = tree_.identity(theirs);
    node.is_leaf = leaf.has_value();
    if (leaf) node.below = {*leaf};
    to_.nodes_.push_back(node);

    struct Wanted {
      spaces::TreeOfEdits::Action action;
      State next;
      std::optional<std::uint32_t> leaf;
    };
    std::vector<Wanted> wanted;
    const auto actions = tree_.actions(theirs);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const EditTree::Node behind = tree_.behind(theirs, i);
      if (is_wanted(behind)) {
        wanted.push_back({actions[i], tree_.next(theirs, i), leaf_at(behind)});
      }
    }
    for (Wanted& each : wanted) {
      const State next = copy(each.next, each.leaf);
      const std::vector<std::uint32_t>& below = to_.nodes_[next].below;
      if (below.empty()) continue;
      node.actions.push_back(std::move(each.action));
      node.next.push_back(next);
      std::vector<std::uint32_t> both;
      std::set_union(node.below.begin(), node.below.end(), below.begin(), below.end(),
                     std::back_inserter(both));
      node.below = std::move(both);
    }
    to_.nodes_[mine] = std::move(node);
    return mine;
  }

  coordinate::CoordinateSpace& from_;
  ReplaySpace& to_;
  EditTree& tree_;
  std::vector<Ancestors> ancestors_;  // by family
  std::map<Key, std::uint32_t> leaves_;
  std::map<State, State> copies_;
};

Result<std::unique_ptr<ReplaySpace>> ReplaySpace::make(const model::Model& base,
                                                       coordinate::CoordinateSpace& space,
                                                       const std::vector<TableRow>& rows) {
  std::unique_ptr<ReplaySpace> replay(new ReplaySpace(space));
  ReplayBuilder builder(space, *replay);
  for (std::size_t i = 0; i < rows.size(); ++i) CAMBIUM_REQUIRE(builder.add(base, rows[i], i));
  builder.copy_tree();
  if (replay->nodes_[0].below.empty()) {
    return Rejection(Reason::NoProposal, std::string(space.name()),
                     "its tree has none of the recorded candidates");
  }
  return replay;
}

Result<spaces::Edits> ReplaySpace::sample(std::uint64_t seed) {
  const std::vector<std::uint32_t>& all = nodes_[0].below;
  return spaces::Edits{edits_[all[Rng(seed).below(all.size())]]};
}

std::vector<std::size_t> ReplaySpace::rows() const {
  std::vector<std::size_t> rows;
  for (const std::uint32_t edit : nodes_[0].below) rows.push_back(rows_[edit]);
  return rows;
}

std::optional<spaces::Edits> ReplaySpace::finished(State state) {
  if (!nodes_[state].is_leaf) return std::nullopt;
  return spaces::Edits{edits_[nodes_[state].below[0]]};
}

// To one of the recorded edits below, each as likely, as samples are.
std::optional<spaces::TreeOfEdits::Descent> ReplaySpace::descend(State state, Rng& rng) {
  const std::vector<std::uint32_t>& below = nodes_[state].below;
  if (below.empty()) return std::nullopt;
  const std::uint32_t chosen = below[rng.below(below.size())];
  Descent descent{{edits_[chosen]}, {}};
  while (!nodes_[state].is_leaf) {
    const Node& node = nodes_[state];
    std::vector<std::size_t> ways;
    for (std::size_t i = 0; i < node.next.size(); ++i) {
      const auto& behind = nodes_[node.next[i]].below;
      if (std::binary_search(behind.begin(), behind.end(), chosen)) ways.push_back(i);
    }
    const std::size_t way = ways[rng.below(ways.size())];
    descent.actions.push_back(node.actions[way]);
    state = node.next[way];
  }
  return descent;
}

}  // namespace cambium::bench
