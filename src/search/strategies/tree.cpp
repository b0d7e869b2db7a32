#include <algorithm>
#include <deque>

#include "base/settings.h"
#include "search/strategies/all.h"
#include "search/strategies/tree_nodes.h"
#include "search/strategies/tried.h"

// Monte Carlo tree search as in Syno's paper and program: UCB1-tuned over edges, progressive
// widening, RAVE to choose the next child to show, a virtual loss for each running ticket. In
// addition, RAVE chooses among several random descents, and the first step of the chosen descent
// becomes the new child: a few hundred tickets fill only the first levels of a tree, so the value
// of a ticket lies in its descent. A leaf is proposed once. A known leaf is folded at once, so that
// a nearly used up tree does not stall. The random numbers of a proposal come from the seed and the
// ticket, so no other random state needs to be stored.
namespace cambium::search {
namespace {

// A node keeps RAVE of its own only from this visit on. Before, it would know a single descent, and
// such nodes would take most of the memory.
constexpr std::int64_t kLocalFrom = 8;

struct TreeSettings {
  double exploration = 0.5;
  double widening = 0.6;
  double virtual_loss = 0.1;
  bool uses_rave = true;
  double rave_noise = 0.1;
  double rave_balance = 3;  // so many own descents weigh as much as the global RAVE
  bool shares_states = true;
  std::int64_t draws = 16;       // descents to something new; the most promising is taken
  std::int64_t trials = 32;      // further descents for those that find nothing new
  std::int64_t attempts = 1000;  // known or dead leaves in a row until a known one is proposed
  std::int64_t nodes = 200000;   // limit; beyond it the tree does not grow
  bool is_by_meaning = false;
};

Settings settings_of(TreeSettings& s) {
  Settings settings("the strategy");
  settings
      .real("exploration", s.exploration, 0, 100,
            "exploration constant: how far the upper bound of a node lies above its mean reward")
      .real("widening", s.widening, 0, 100,
            "a node with n visits shows at most n^widening children")
      .real("virtual-loss", s.virtual_loss, 0, 100,
            "reward that each ticket in flight subtracts from the nodes of its path until its "
            "outcome is known")
      .yes_no(
          "rave", s.uses_rave,
          "choose among descents by the rewards that their actions earned elsewhere in the tree")
      .real("rave-noise", s.rave_noise, 0, 1, "randomness of the choice by rave")
      .real("rave-balance", s.rave_balance, 0, 1e6,
            "number of descents through a node at which its own rewards weigh as much as those of "
            "the whole tree")
      .yes_no("transpositions", s.shares_states, "merge nodes with the same state")
      .whole("trials", s.trials, 1, 1000000,
             "largest number of descents per proposal that find nothing new")
      .whole("draws", s.draws, 1, 1000,
             "number of descents, of which the most promising is proposed")
      .whole("attempts", s.attempts, 1, 1000000,
             "number of known or dead leaves in a row after which a known one is proposed")
      .whole("nodes", s.nodes, 1, 100000000, "number of nodes at which the tree stops growing");
  Sameness::add_setting(settings, s.is_by_meaning);
  return settings;
}

struct Step {
  NodeIndex node;
  Label label;
};

// The path of a selection or a descent.
struct Trail {
  std::vector<Step> steps;    // in the tree
  NodeIndex last = kNoNode;   // where the random descent began; none: it ended in a leaf
  std::vector<Label> labels;  // of the steps, then of the random descent

  void step(NodeIndex node, Label label) {
    steps.push_back({node, label});
    labels.push_back(label);
  }
};

struct UnderWay {
  Ticket ticket = 0;
  std::uint64_t key = 0;
  Trail trail;
};

class TreeStrategy final : public Strategy {
 public:
  TreeStrategy(std::uint64_t seed, Fingerprint base, spaces::Space& space, TreeSettings settings)
      : seed_(seed),
        base_(base),
        space_(space),
        tree_(*space.tree()),
        settings_(settings),
        same_(space, settings.is_by_meaning),
        nodes_(hash_of(tree_.identity(tree_.root()))) {}

  std::optional<Proposal> propose(Ticket ticket) override;
  void fold(Ticket ticket, const Outcome& outcome) override;
  std::string state() const override;
  Status restore(std::string_view state) override;

 private:
  using State = spaces::TreeOfEdits::State;
  using Descent = spaces::TreeOfEdits::Descent;

  // ---- the space's tree
  std::optional<State> state_of(NodeIndex node);
  std::optional<State> child_of(State state, Label label);
  bool list(NodeIndex node);
  bool is_full() const { return static_cast<std::int64_t>(nodes_.size()) >= settings_.nodes; }

  // ---- selection
  // Nothing: a node on the way was closed.
  std::optional<Trail> select(Rng& rng, std::optional<spaces::Edits>& leaf);
  bool may_reveal(const TreeNode& node) const;
  Label pick_hidden(const TreeNode& node, Rng& rng) const;
  // The weight of the global RAVE of an action beside the RAVE of this node.
  double share_of_global(const Tally& local) const {
    return settings_.rave_balance / (settings_.rave_balance + static_cast<double>(local.count));
  }
  const TreeEdge& pick_edge(const TreeNode& node) const;
  NodeIndex reveal(NodeIndex node, Label label, std::optional<spaces::Edits>& leaf);
  bool descend(Trail& trail, Rng& rng, std::optional<spaces::Edits>& leaf);
  std::optional<Descent> draw(NodeIndex node, bool is_revealing, Rng& rng);
  double promise_of(const TreeNode& node, const Descent& descent, Rng& rng) const;
  // The trail ends in a drawn leaf; its first `taken` steps are in the tree.
  void end(Trail& trail, Descent descent, std::size_t taken, std::optional<spaces::Edits>& leaf);

  // ---- learning
  void backpropagate(const Trail& trail, double reward);
  void add_losses(const Trail& trail, int losses);
  Trail read_trail(SnapshotReader& in) const;

  std::uint64_t seed_;
  Fingerprint base_;
  spaces::Space& space_;
  spaces::TreeOfEdits& tree_;
  TreeSettings settings_;
  Sameness same_;

  Labels labels_;
  TreeNodes nodes_;
  Tried tried_;
  Range range_;
  std::deque<UnderWay> under_way_;
};

std::optional<TreeStrategy::State> TreeStrategy::child_of(State state, Label label) {
  const auto& actions = tree_.actions(state);
  const auto found = std::find_if(actions.begin(), actions.end(), [&](const auto& action) {
    return action.label == labels_.text(label);
  });
  if (found == actions.end()) return std::nullopt;
  return tree_.next(state, static_cast<std::size_t>(found - actions.begin()));
}

// Nothing: the space no longer has the steps that led here.
std::optional<TreeStrategy::State> TreeStrategy::state_of(NodeIndex node) {
  std::vector<NodeIndex> way;
  for (NodeIndex i = node; !nodes_[i].state; i = nodes_[i].creator) {
    if (i != 0 && nodes_[i].creator == kNoNode) return std::nullopt;
    if (i == 0) {
      nodes_[i].state = tree_.root();
      break;
    }
    way.push_back(i);
  }
  for (; !way.empty(); way.pop_back()) {
    TreeNode& next = nodes_[way.back()];
    next.state = child_of(*nodes_[next.creator].state, next.via);
    if (!next.state) return std::nullopt;
  }
  return nodes_[node].state;
}

bool TreeStrategy::list(NodeIndex index) {
  TreeNode& node = nodes_[index];
  if (node.hidden) return true;
  const auto state = state_of(index);
  if (!state) return false;
  node.hidden.emplace();
  for (const auto& action : tree_.actions(*state)) {
    const Label label = labels_.intern(action.label, action.kind);
    if (node.edge(label) == nullptr &&
        !std::binary_search(node.gone.begin(), node.gone.end(), label)) {
      node.hidden->push_back(label);
    }
  }
  node.hidden_count = static_cast<std::int64_t>(node.hidden->size());
  return true;
}

// Whether #children < floor(visits^exponent), computed without pow.
bool TreeStrategy::may_reveal(const TreeNode& node) const {
  if (node.hidden->empty()) return false;
  if (node.edges.empty()) return true;
  const auto visits = static_cast<double>(std::max<std::int64_t>(1, node.visits + node.losses));
  return exact_log(static_cast<double>(node.edges.size()) + 1) <=
         settings_.widening * exact_log(visits);
}

Label TreeStrategy::pick_hidden(const TreeNode& node, Rng& rng) const {
  const std::vector<Label>& hidden = *node.hidden;
  if (!settings_.uses_rave) return hidden[rng.below(hidden.size())];
  const auto score_of = [&](const Tally& tally) {
    const double optimistic =
        static_cast<double>(tally.mean) + std::sqrt(static_cast<double>(tally.variance));
    return range_.place(optimistic) - 1 / static_cast<double>(tally.count);
  };
  std::vector<std::optional<double>> scores;
  double sum = 0;
  int known = 0;
  for (const Label label : hidden) {
    std::optional<double> score;
    const Tally& global = labels_.tally(label);
    if (global.count > 0) score = score_of(global);
    for (const auto& [of, local] : node.local) {
      if (of != label || local.count == 0) continue;
      const double share = share_of_global(local);
      score = (1 - share) * score_of(local) + share * score.value_or(score_of(local));
    }
    if (score) {
      sum += *score;
      ++known;
    }
    scores.push_back(score);
  }
  const double mean = known == 0 ? 0 : sum / known;
  std::size_t best = 0;
  double most = 0;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const double noisy = (1 - settings_.rave_noise) * scores[i].value_or(mean) +
                         settings_.rave_noise * rng.uniform();
    if (i == 0 || noisy > most) {
      most = noisy;
      best = i;
    }
  }
  return hidden[best];
}

const TreeEdge& TreeStrategy::pick_edge(const TreeNode& node) const {
  double all = 0, count_known = 0, sum_known = 0;
  for (const TreeEdge& edge : node.edges) {
    all += static_cast<double>(edge.tally.count + edge.losses);
    count_known += static_cast<double>(edge.tally.count);
    sum_known += static_cast<double>(edge.tally.count) * static_cast<double>(edge.tally.mean);
  }
  const double mean_known = count_known > 0 ? sum_known / count_known : 0;
  const TreeEdge* best = nullptr;
  double most = 0;
  for (const TreeEdge& edge : node.edges) {
    const auto count = static_cast<double>(edge.tally.count + edge.losses);
    if (count == 0) return edge;  // never tried
    const double mean = edge.tally.count > 0 ? static_cast<double>(edge.tally.mean) : mean_known;
    const double variance =
        static_cast<double>(edge.tally.variance) * range_.scale() * range_.scale();
    const double score = range_.place(mean) +
                         settings_.exploration * ucb_width(count, variance, all) -
                         settings_.virtual_loss * edge.losses;
    if (best == nullptr || score > most) {
      most = score;
      best = &edge;
    }
  }
  return *best;
}

// The child; none: it is a leaf (which is returned), a dead end or closed.
NodeIndex TreeStrategy::reveal(NodeIndex node, Label label, std::optional<spaces::Edits>& leaf) {
  const auto state = child_of(*nodes_[node].state, label);
  if (state) leaf = tree_.finished(*state);
  if (!state || leaf || tree_.actions(*state).empty()) {
    nodes_.use_up(node, label);
    return kNoNode;
  }
  const std::uint64_t identity =
      settings_.shares_states ? hash_of(tree_.identity(*state))
                              : hash_of(fingerprint_of(nodes_[node].identity, labels_.text(label)));
  const auto known = nodes_.find(identity);
  if (known && !nodes_[*known].is_open) {
    nodes_.use_up(node, label);
    return kNoNode;
  }
  const NodeIndex child = known ? *known : nodes_.add(identity, node, label);
  nodes_[child].state = state;
  nodes_.reveal(node, label, child);
  return child;
}

std::optional<Trail> TreeStrategy::select(Rng& rng, std::optional<spaces::Edits>& leaf) {
  Trail trail;
  NodeIndex at = 0;
  while (nodes_[at].is_open) {
    if (!nodes_[at].is_tried) {
      trail.last = at;
      return trail;
    }
    if (!list(at)) {
      nodes_.close(at);
      break;
    }
    if (nodes_[at].edges.empty() && nodes_[at].hidden->empty()) {
      nodes_.close(at);  // only if the space has lost candidates
      break;
    }
    const bool is_revealing = may_reveal(nodes_[at]);
    if (is_revealing && is_full()) {
      trail.last = at;
      return trail;
    }
    if (is_revealing) {
      auto descent = draw(at, true, rng);
      const Label label = descent
                              ? labels_.intern(descent->actions[0].label, descent->actions[0].kind)
                              : pick_hidden(nodes_[at], rng);
      const NodeIndex child = reveal(at, label, leaf);
      if (child == kNoNode && !leaf) continue;  // it leads to nothing
      trail.step(at, label);
      if (leaf) return trail;
      at = child;
      if (descent) {
        nodes_[child].is_tried = true;
        trail.last = child;
        end(trail, std::move(*descent), 1, leaf);
        return trail;
      }
    } else {
      const TreeEdge& edge = pick_edge(nodes_[at]);
      trail.step(at, edge.label);
      at = edge.child;
    }
  }
  return std::nullopt;
}

// Promise of a descent: the rewards of its actions against the mean of all, less if few descents
// had them, plus the noise of RAVE.
double TreeStrategy::promise_of(const TreeNode& node, const Descent& descent, Rng& rng) const {
  const double mean = tried_.mean();
  const auto gain_of = [&](const Tally& tally) {
    const auto count = static_cast<double>(tally.count);
    return count / (count + settings_.rave_balance) * (static_cast<double>(tally.mean) - mean) *
           range_.scale();
  };
  double promise = 0;
  for (const auto& action : descent.actions) {
    const auto label = labels_.find(action.label);
    if (!label || labels_.own_tally(*label).count == 0) continue;
    double gain = gain_of(labels_.own_tally(*label));
    for (const auto& [of, local] : node.local) {
      if (of != *label || local.count == 0) continue;
      const double share = share_of_global(local);
      gain = (1 - share) * gain_of(local) + share * gain;
    }
    promise += gain;
  }
  return (1 - settings_.rave_noise) * promise + settings_.rave_noise * rng.uniform();
}

// The most promising of some random descents from a node to something new. Its first step becomes
// the new child, so the tree grows where the space is large, not equally among actions of which
// most lead to little. A known leaf is returned only if nothing else was found and no child is to
// be shown.
std::optional<TreeStrategy::Descent> TreeStrategy::draw(NodeIndex index, bool is_revealing,
                                                        Rng& rng) {
  const auto state = state_of(index);
  if (!state) return std::nullopt;
  const auto is_hidden = [&](const Descent& descent) {
    const auto label = labels_.find(descent.actions[0].label);
    const std::vector<Label>& hidden = *nodes_[index].hidden;
    return label && std::find(hidden.begin(), hidden.end(), *label) != hidden.end();
  };
  std::optional<Descent> known;
  std::vector<std::pair<double, Descent>> found;  // with its promise
  std::int64_t failed = 0;
  const auto draws = static_cast<std::size_t>(settings_.uses_rave ? settings_.draws : 1);
  while (found.size() < draws && failed < settings_.trials) {
    auto descent = tree_.descend(*state, rng);
    const bool is_wanted = descent &&
                           !tried_.contains(same_.key_of({base_, descent->edits, std::nullopt})) &&
                           (!is_revealing || is_hidden(*descent));
    if (!is_wanted) {
      ++failed;
      if (descent && !known && !is_revealing) known = std::move(descent);
      continue;
    }
    const double promise = promise_of(nodes_[index], *descent, rng);
    found.emplace_back(promise, std::move(*descent));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [promise, descent] : found) {
    if (descent.is_wanted()) return std::move(descent);
  }
  return known;
}

void TreeStrategy::end(Trail& trail, Descent descent, std::size_t taken,
                       std::optional<spaces::Edits>& leaf) {
  for (std::size_t i = taken; i < descent.actions.size(); ++i) {
    trail.labels.push_back(labels_.intern(descent.actions[i].label, descent.actions[i].kind));
  }
  leaf = std::move(descent.edits);
}

// A random edit below the last node of the trail; an untried one if there is one among so many.
bool TreeStrategy::descend(Trail& trail, Rng& rng, std::optional<spaces::Edits>& leaf) {
  nodes_[trail.last].is_tried = true;
  if (!state_of(trail.last)) {
    nodes_.close(trail.last);
    return false;
  }
  auto chosen = draw(trail.last, false, rng);
  if (!chosen) return false;
  end(trail, std::move(*chosen), 0, leaf);
  return true;
}

std::optional<Proposal> TreeStrategy::propose(Ticket ticket) {
  const Rng rng = Rng(seed_).split(static_cast<std::uint64_t>(ticket));
  std::optional<Proposal> known;
  for (std::int64_t i = 0; i < settings_.attempts && nodes_[0].is_open; ++i) {
    Rng draws = rng.split(static_cast<std::uint64_t>(i));
    std::optional<spaces::Edits> leaf;
    auto trail = select(draws, leaf);
    if (!trail) continue;
    if (!leaf && !descend(*trail, draws, leaf)) {
      backpropagate(*trail, range_.low);
      continue;
    }
    Proposal proposal{{base_, std::move(*leaf), std::nullopt}, std::string(space_.name())};
    const std::uint64_t key = same_.key_of(proposal.candidate);
    if (tried_.add(key)) {
      add_losses(*trail, 1);
      under_way_.push_back({ticket, key, std::move(*trail)});
      return proposal;
    }
    // The tree is full: everything below this node counts as used up.
    const NodeIndex last = trail->last;
    if (is_full() && last != kNoNode && nodes_[last].edges.empty()) nodes_.close(last);
    if (const auto reward = tried_.reward(key)) backpropagate(*trail, *reward);
    known = std::move(proposal);
  }
  if (known && nodes_[0].is_open) return known;
  return std::nullopt;
}

void TreeStrategy::fold(Ticket ticket, const Outcome& outcome) {
  // The reward of a known candidate has been folded already.
  if (under_way_.empty() || under_way_.front().ticket != ticket) return;
  const UnderWay ended = std::move(under_way_.front());
  under_way_.pop_front();
  // As a float: further digits are noise, and would be most of the text of the state.
  const double reward =
      outcome.is_refused ? 0 : static_cast<double>(static_cast<float>(outcome.reward));
  range_.add(reward);
  tried_.settle(ended.key, reward);
  add_losses(ended.trail, -1);
  backpropagate(ended.trail, reward);
}

void TreeStrategy::add_losses(const Trail& trail, int losses) {
  for (const Step& step : trail.steps) {
    nodes_[step.node].losses += losses;
    if (TreeEdge* edge = nodes_[step.node].edge(step.label)) edge->losses += losses;
  }
  if (trail.last != kNoNode) nodes_[trail.last].losses += losses;
}

void TreeStrategy::backpropagate(const Trail& trail, double reward) {
  labels_.add(trail.labels, reward);
  const auto visit = [&](NodeIndex index, std::size_t depth) {
    TreeNode& node = nodes_[index];
    if (!node.is_open) return;
    if (++node.visits < kLocalFrom || !settings_.uses_rave) return;
    const std::vector<Label>& labels = trail.labels;
    for (std::size_t i = depth; i < labels.size(); ++i) {
      if (std::find(labels.begin() + static_cast<std::ptrdiff_t>(depth),
                    labels.begin() + static_cast<std::ptrdiff_t>(i),
                    labels[i]) != labels.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;
      }
      if (Tally* tally = node.local_tally(labels[i])) tally->add(reward);
    }
  };
  for (std::size_t i = 0; i < trail.steps.size(); ++i) {
    const Step& step = trail.steps[i];
    visit(step.node, i);
    if (TreeEdge* edge = nodes_[step.node].edge(step.label)) edge->tally.add(reward);
  }
  if (trail.last != kNoNode) visit(trail.last, trail.steps.size());
}

std::string TreeStrategy::state() const {
  SnapshotWriter out;
  out.text("tree");
  labels_.write(out);
  write(out, range_);
  nodes_.write(out);
  tried_.write(out);
  out.count(under_way_);
  for (const UnderWay& each : under_way_) {
    out.number(each.ticket).hash(each.key).number(static_cast<std::int64_t>(each.trail.last));
    out.count(each.trail.steps);
    for (const Step& step : each.trail.steps) out.number(step.node).number(step.label);
    out.count(each.trail.labels);
    for (const Label label : each.trail.labels) out.number(label);
  }
  return std::move(out).done();
}

Trail TreeStrategy::read_trail(SnapshotReader& in) const {
  const auto nodes = static_cast<std::int64_t>(nodes_.size());
  const auto labels = static_cast<std::int64_t>(labels_.size());
  Trail trail;
  trail.last = static_cast<NodeIndex>(in.number(0, static_cast<std::int64_t>(kNoNode)));
  if (trail.last >= nodes_.size()) trail.last = kNoNode;
  for (std::size_t count = in.count(); trail.steps.size() < count && in.ok();) {
    const auto node = static_cast<NodeIndex>(in.number(0, nodes - 1));
    trail.steps.push_back({node, static_cast<Label>(in.number(0, labels - 1))});
  }
  for (std::size_t count = in.count(); trail.labels.size() < count && in.ok();) {
    trail.labels.push_back(static_cast<Label>(in.number(0, labels - 1)));
  }
  return trail;
}

Status TreeStrategy::restore(std::string_view state) {
  SnapshotReader in(state);
  in.expect("tree");
  TreeStrategy fresh(seed_, base_, space_, settings_);
  const std::uint64_t root = fresh.nodes_[0].identity;
  fresh.labels_.read(in);
  fresh.range_ = read_range(in);
  fresh.nodes_.read(in, fresh.labels_.size());
  fresh.tried_.read(in);
  for (std::size_t count = in.count(); fresh.under_way_.size() < count && in.ok();) {
    UnderWay each;
    each.ticket = in.number(0, std::int64_t{1} << 60);
    each.key = in.hash();
    each.trail = fresh.read_trail(in);
    fresh.under_way_.push_back(std::move(each));
  }
  CAMBIUM_REQUIRE(in.finish());
  if (fresh.nodes_.size() == 0 || fresh.nodes_[0].identity != root) {
    return Rejection(Reason::BadSyntax, "the tree of this space", "that of another", 1, 1);
  }
  if (!fresh.nodes_.is_acyclic()) {
    return Rejection(Reason::BadSyntax, "a tree", "a circle", 1, 1);
  }
  labels_ = std::move(fresh.labels_);
  nodes_ = std::move(fresh.nodes_);
  tried_ = std::move(fresh.tried_);
  range_ = fresh.range_;
  under_way_ = std::move(fresh.under_way_);
  for (const UnderWay& each : under_way_) add_losses(each.trail, 1);
  return Ok{};
}

}  // namespace

std::vector<SettingInfo> tree_settings() {
  TreeSettings settings;
  return settings_of(settings).list();
}

MadeStrategy make_tree(const StrategyOptions& options, Fingerprint base, spaces::Space& space) {
  TreeSettings settings;
  CAMBIUM_REQUIRE(settings_of(settings).read(options.settings));
  if (space.tree() == nullptr) return Rejection(Reason::NoFacet, "tree", "has a tree");
  return std::unique_ptr<Strategy>(
      std::make_unique<TreeStrategy>(options.seed, base, space, settings));
}

}  // namespace cambium::search
