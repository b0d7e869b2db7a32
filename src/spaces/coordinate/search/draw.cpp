#include "spaces/coordinate/search/draw.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"
#include "spaces/coordinate/synthesis/tree.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate {

namespace {

using synthesis::Choice;
using synthesis::kNoState;
using synthesis::PrimitiveKind;
using synthesis::StateId;

constexpr std::size_t kMostListed = 20'000;  // choices of weights for one path
constexpr std::size_t kMostAsked = 32;       // of which so many are tried

}  // namespace

Drawing::Drawing(synthesis::Space& space, int least_mixed)
    : space_(space), least_mixed_(least_mixed), reach_(space) {
  for (const StateId stage : stages(space, reach_)) {
    const std::size_t count = space.states.counts(stage).reductions;
    if (!may_mix(stage)) continue;
    if (stages_.size() <= count) stages_.resize(count + 1);
    stages_[count].push_back(stage);
  }
  std::erase_if(stages_, [](const auto& stages) { return stages.empty(); });
}

// An axis whose variable stands in no reduction is mixed by a window; only those sets are drawn
// that have enough of them, since among all sets they are few.
bool Drawing::may_mix(StateId stage) const {
  const auto reductions = space_.states.reductions(stage);
  const auto is_reducible = [&](synthesis::SizeId axis) {
    return space_.sizes[axis].occurrences.is_within(space_.allowed);
  };
  const auto is_window = [&](synthesis::CoordId c) {
    const synthesis::SizeFacts& size = space_.sizes[space_.coordinates.size(c)];
    return size.greatest <= space_.limits.window && (size.odd || !space_.limits.odd_windows);
  };
  const auto windows = std::count_if(reductions.begin(), reductions.end(), is_window);
  const auto others = std::count_if(space_.input.begin(), space_.input.end(), is_reducible);
  return std::ssize(reductions) >= least_mixed_ && windows + others >= least_mixed_;
}

int Drawing::left(StateId id) const {
  return space_.limits.primitives - space_.states.counts(id).all();
}

bool Drawing::is_mixed(const synthesis::State& state) const {
  const auto& axes = space_.input;
  std::int64_t mixed = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (std::find(axes.begin(), axes.begin() + i, axes[i]) != axes.begin() + i) continue;
    const auto readers = std::count_if(state.data.begin(), state.data.end(), [&](auto c) {
      return space_.coordinates.size(c) == axes[i] &&
             space_.coordinates[c].reduced != synthesis::Coord::Reduced::None;
    });
    mixed += std::min<std::int64_t>(readers, std::count(axes.begin(), axes.end(), axes[i]));
  }
  return mixed >= least_mixed_;
}

// The number of reductions first, then which: sets of many would crowd out those of few.
StateId Drawing::draw_stage(Rng& rng) const {
  if (stages_.empty()) return kNoState;
  const auto& stages = stages_[rng.below(stages_.size())];
  return stages[rng.below(stages.size())];
}

StateId Drawing::attempt(const synthesis::State& state, const synthesis::Step& step, int left) {
  if (synthesis::forbidding(space_, state, step) != nullptr) return kNoState;
  const StateId next = synthesis::apply(space_, state, step);
  return reach_.is_near(next, left - 1) ? next : kNoState;
}

StateId Drawing::advance(StateId id, Rng& rng) {
  const int left_here = left(id);
  const std::optional<int> weights = reach_.weights_needed(id);
  const synthesis::State state = space_.states.unpack(id);
  const bool may_finish = weights && *weights <= left_here && is_mixed(state);
  synthesis::Few<PrimitiveKind, 16> kinds;
  if (left_here > (space_.limits.weight_free ? 0 : 1)) {
    for (const synthesis::Primitive* primitive : synthesis::primitives()) {
      if (synthesis::is_view(space_, state, *primitive)) kinds.push_back(primitive->kind);
    }
  }
  while (true) {
    const std::uint64_t ways = kinds.size() + (may_finish ? 1 : 0);
    if (ways == 0) return kNoState;
    const std::uint64_t way = rng.below(ways);
    if (way == kinds.size()) return id;
    steps_.clear();
    synthesis::offer(space_, state, synthesis::row(kinds[way]), steps_);
    while (!steps_.empty()) {
      std::swap(steps_[rng.below(steps_.size())], steps_.back());
      const synthesis::Step step = steps_.back();
      steps_.pop_back();
      const StateId next = attempt(state, step, left_here);
      if (next != kNoState) return next;
    }
    kinds.erase(way);  // none of its steps leads on
  }
}

std::optional<Operator> Drawing::finish(StateId id, Rng& rng, const Accept& accept) {
  const synthesis::Finishing finishing(space_, id);
  const int most = std::min(left(id), space_.limits.weights);
  std::vector<Choice> choices;
  for (int weights = space_.limits.weight_free ? 0 : 1; weights <= most; ++weights) {
    finishing.each(weights, [&](const Choice& choice) {
      choices.push_back(choice);
      return choices.size() < kMostListed;
    });
  }
  rng.shuffle(std::span<Choice>(choices));
  choices.resize(std::min(choices.size(), kMostAsked));
  for (const Choice& choice : choices) {
    Operator op = synthesis::finish(space_, finishing.anatomy(), choice);
    if (accept(op)) return op;
  }
  return std::nullopt;
}

std::optional<Operator> Drawing::walk(Rng rng, const Accept& accept) {
  StateId at = draw_stage(rng);
  while (at != kNoState && reach_.is_near(at, left(at))) {
    const StateId next = advance(at, rng);
    if (next == at) return finish(at, rng, accept);
    at = next;
  }
  return std::nullopt;
}

}  // namespace cambium::spaces::coordinate
