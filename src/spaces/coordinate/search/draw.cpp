#include "spaces/coordinate/search/draw.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"

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
  find_stages();
}

void Drawing::find_stages() {
  std::vector<std::size_t> parents{0};
  stages_.push_back({space_.root, false, {}, {}});
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const StateId id = stages_[i].id;
    stage_of_.emplace(id, i);
    const synthesis::State state = space_.states.unpack(id);
    stages_[i].is_good = may_mix(id) && reach_.distances().least(state) <= left(id);
    steps_.clear();
    if (left(id) > 1) synthesis::offer_reductions(space_, state, steps_);
    for (const synthesis::Step& step : steps_) {
      stages_[i].children.emplace_back(step, stages_.size());
      stages_.push_back({synthesis::apply(space_, state, step), false, {}, {}});
      parents.push_back(i);
    }
  }
  for (std::size_t i = stages_.size(); i-- > 0;) {  // children stand behind their parents
    Stage& stage = stages_[i];
    const std::size_t own = space_.states.counts(stage.id).reductions;
    if (stage.is_good) {
      if (stage.good.size() <= own) stage.good.resize(own + 1);
      ++stage.good[own];
    }
    if (i == 0) break;
    std::vector<std::uint64_t>& above = stages_[parents[i]].good;
    if (above.size() < stage.good.size()) above.resize(stage.good.size());
    for (std::size_t count = 0; count < stage.good.size(); ++count) {
      above[count] += stage.good[count];
    }
  }
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

bool Drawing::may_go_on(StateId id) const {
  return left(id) > (space_.limits.weight_free ? 0 : 1);
}

// The number of reductions first, then which: sets of many would crowd out those of few.
StateId Drawing::draw_stage(std::size_t from, Rng& rng, std::vector<Way>& trail) const {
  std::vector<std::size_t> counts;
  for (std::size_t count = 0; count < stages_[from].good.size(); ++count) {
    if (stages_[from].good[count] > 0) counts.push_back(count);
  }
  if (counts.empty()) return kNoState;
  const std::size_t count = counts[rng.below(counts.size())];
  std::uint64_t number = rng.below(stages_[from].good[count]);  // of those, in the tree's order
  std::size_t at = from;
  while (true) {
    const Stage& stage = stages_[at];
    if (stage.is_good && space_.states.counts(stage.id).reductions == count) {
      if (number == 0) return stage.id;
      --number;
    }
    for (const auto& [step, child] : stage.children) {
      const std::uint64_t below = stages_[child].good_with(count);
      if (number < below) {
        trail.push_back({step, stages_[child].id});
        at = child;
        break;
      }
      number -= below;
    }
  }
}

StateId Drawing::attempt(const synthesis::State& state, const synthesis::Step& step, int left) {
  if (synthesis::forbidding(space_, state, step) != nullptr) return kNoState;
  const StateId next = synthesis::apply(space_, state, step);
  return reach_.least(next) <= left - 1 ? next : kNoState;
}

std::vector<Way> Drawing::reductions(StateId id) const {
  std::vector<Way> ways;
  const auto stage = stage_of_.find(id);
  if (stage == stage_of_.end()) return ways;
  for (const auto& [step, child] : stages_[stage->second].children) {
    if (!stages_[child].good.empty()) ways.push_back({step, stages_[child].id});
  }
  return ways;
}

std::vector<Way> Drawing::views(StateId id) {
  std::vector<Way> ways;
  const auto stage = stage_of_.find(id);
  if (stage != stage_of_.end() && !stages_[stage->second].is_good) return ways;
  if (!may_go_on(id)) return ways;
  const synthesis::State state = space_.states.unpack(id);
  steps_.clear();
  synthesis::offer_views(space_, state, steps_);
  for (const synthesis::Step& step : steps_) {
    const StateId next = attempt(state, step, left(id));
    if (next != kNoState) ways.push_back({step, next});
  }
  return ways;
}

bool Drawing::is_end(StateId id) {
  if (!is_mixed(space_.states.unpack(id))) return false;  // the cheaper question first
  const std::optional<int> weights = reach_.weights_needed(id);
  return weights && *weights <= left(id);
}

std::vector<Choice> Drawing::choices(const synthesis::Finishing& finishing, StateId id) const {
  const int most = std::min(left(id), space_.limits.weights);
  std::vector<Choice> out;
  for (int weights = space_.limits.weight_free ? 0 : 1; weights <= most; ++weights) {
    finishing.each(weights, [&](const Choice& choice) {
      out.push_back(choice);
      return out.size() < kMostListed;
    });
  }
  return out;
}

Way Drawing::advance(StateId id, Rng& rng) {
  const synthesis::State state = space_.states.unpack(id);
  const bool may_finish = is_end(id);
  synthesis::Few<PrimitiveKind, 16> kinds;
  if (may_go_on(id)) {
    for (const synthesis::Primitive* primitive : synthesis::primitives()) {
      if (synthesis::is_view(space_, state, *primitive)) kinds.push_back(primitive->kind);
    }
  }
  while (true) {
    const std::uint64_t ways = kinds.size() + (may_finish ? 1 : 0);
    if (ways == 0) return {};
    const std::uint64_t way = rng.below(ways);
    if (way == kinds.size()) return {{}, id};
    steps_.clear();
    synthesis::offer(space_, state, synthesis::row(kinds[way]), steps_);
    while (!steps_.empty()) {
      std::swap(steps_[rng.below(steps_.size())], steps_.back());
      const synthesis::Step step = steps_.back();
      steps_.pop_back();
      const StateId next = attempt(state, step, left(id));
      if (next != kNoState) return {step, next};
    }
    kinds.erase(way);  // none of its steps leads on
  }
}

StateId Drawing::walk_from(StateId id, Rng& rng, std::vector<Way>& trail) {
  if (const auto stage = stage_of_.find(id); stage != stage_of_.end()) {
    id = draw_stage(stage->second, rng, trail);
    if (id == kNoState) return kNoState;
  }
  while (true) {
    const Way way = advance(id, rng);
    if (way.next == kNoState || way.next == id) return way.next;
    trail.push_back(way);
    id = way.next;
  }
}

std::optional<Choice> Drawing::draw_weights(const synthesis::Finishing& finishing, StateId id,
                                            Rng& rng, const Accept& accept) const {
  std::vector<Choice> drawn = choices(finishing, id);
  rng.shuffle(std::span<Choice>(drawn));
  drawn.resize(std::min(drawn.size(), kMostAsked));
  for (const Choice& choice : drawn) {
    if (accept(synthesis::finish(space_, finishing.anatomy(), choice))) return choice;
  }
  return std::nullopt;
}

std::optional<Operator> Drawing::walk(Rng rng, const Accept& accept) {
  std::vector<Way> trail;
  const StateId at = walk_from(space_.root, rng, trail);
  if (at == kNoState) return std::nullopt;
  const synthesis::Finishing finishing(space_, at);
  const auto choice = draw_weights(finishing, at, rng, accept);
  if (!choice) return std::nullopt;
  return synthesis::finish(space_, finishing.anatomy(), *choice);
}

}  // namespace cambium::spaces::coordinate
