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
constexpr std::size_t kMostAsked = 32;       // of which so many are asked for their costs
constexpr int kMostWeighed = 4;              // and so many for their activations

}  // namespace

Drawing::Drawing(synthesis::Space& space, int least_mixed)
    : space_(space), least_mixed_(least_mixed), reach_(space) {
  find_stages();
}

void Drawing::find_stages() {
  std::vector<std::size_t> parents{0};
  stages_.push_back({space_.root, std::nullopt, {}, {}});
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const StateId id = stages_[i].id;
    stage_of_.emplace(id, i);
    const synthesis::State state = space_.states.unpack(id);
    for (int merges = 0; merges <= space_.limits.merges && may_mix(id); ++merges) {
      if (!is_in_reach(state, left(id), merges)) continue;
      stages_[i].merges = merges;
      break;
    }
    steps_.clear();
    if (left(id) > 1) synthesis::offer_reductions(space_, state, steps_);
    for (const synthesis::Step& step : steps_) {
      stages_[i].children.emplace_back(step, stages_.size());
      stages_.push_back({synthesis::apply(space_, state, step), std::nullopt, {}, {}});
      parents.push_back(i);
    }
  }
  count_stages(parents);
}

void Drawing::count_stages(const std::vector<std::size_t>& parents) {
  const auto limits = static_cast<std::size_t>(space_.limits.merges) + 1;
  for (Stage& stage : stages_) stage.good.resize(limits);
  const auto add = [](std::vector<std::uint64_t>& counts, std::size_t at, std::uint64_t more) {
    if (counts.size() <= at) counts.resize(at + 1);
    counts[at] += more;
  };
  for (std::size_t i = stages_.size(); i-- > 0;) {  // children stand behind their parents
    Stage& stage = stages_[i];
    const std::size_t own = space_.states.counts(stage.id).reductions;
    for (std::size_t merges = 0; merges < limits; ++merges) {
      if (stage.merges && *stage.merges <= static_cast<int>(merges))
        add(stage.good[merges], own, 1);
      for (std::size_t count = 0; count < stage.good[merges].size() && i > 0; ++count) {
        add(stages_[parents[i]].good[merges], count, stage.good[merges][count]);
      }
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

// What one may not take counts as used.
synthesis::State Drawing::with_merges(synthesis::State state, int merges) const {
  const int withheld = space_.limits.merges - merges;
  state.counts.merges = static_cast<std::uint8_t>(state.counts.merges + withheld);
  return state;
}

bool Drawing::is_in_reach(const synthesis::State& state, int left, int merges) {
  return reach_.distances().least(with_merges(state, merges)) <= left;
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

Drawing::Most Drawing::most_of(StateId id, Rng& rng) {
  const synthesis::State state = space_.states.unpack(id);
  const auto stage = stage_of_.find(id);
  std::vector<int> merges;
  for (int most = state.counts.merges; most <= space_.limits.merges; ++most) {
    const bool is_enough = stage != stage_of_.end()
                               ? stages_[stage->second].leads_on(static_cast<std::size_t>(most))
                               : is_in_reach(state, left(id), most);
    if (is_enough) merges.push_back(most);
  }
  if (merges.empty()) merges.push_back(space_.limits.merges);  // a dead end, whatever is drawn
  return {merges[rng.below(merges.size())],
          static_cast<int>(rng.between(state.counts.shifts, space_.limits.shifts))};
}

// The number of reductions first, then which: sets of many would crowd out those of few.
StateId Drawing::draw_stage(std::size_t from, int merges, Rng& rng, std::vector<Way>& trail) const {
  const auto most = static_cast<std::size_t>(merges);
  std::vector<std::size_t> counts;
  for (std::size_t count = 0; count < stages_[from].good[most].size(); ++count) {
    if (stages_[from].good[most][count] > 0) counts.push_back(count);
  }
  if (counts.empty()) return kNoState;
  const std::size_t count = counts[rng.below(counts.size())];
  std::uint64_t number = rng.below(stages_[from].good[most][count]);  // in the tree's order
  std::size_t at = from;
  while (true) {
    const Stage& stage = stages_[at];
    const bool is_good = stage.merges && *stage.merges <= merges;
    if (is_good && space_.states.counts(stage.id).reductions == count) {
      if (number == 0) return stage.id;
      --number;
    }
    for (const auto& [step, child] : stage.children) {
      const std::uint64_t below = stages_[child].good_with(most, count);
      if (number < below) {
        trail.push_back({step, stages_[child].id});
        at = child;
        break;
      }
      number -= below;
    }
  }
}

// Whether enough axes can still be mixed. Each needs a coordinate of its own that depends on a
// reduction, of which a MERGE makes two of one. Without a MERGE sizes only grow: an axis whose
// variable no reduction holds is mixed by now, or it is the base of a window to come, which a SHIFT
// cannot be.
bool Drawing::may_mix(const synthesis::State& state, int merges) const {
  const auto is_reduced = [&](synthesis::CoordId c) {
    return space_.coordinates[c].reduced != synthesis::Coord::Reduced::None;
  };
  const auto reduced = std::count_if(state.data.begin(), state.data.end(), is_reduced);
  const int merges_left = merges - state.counts.merges;
  if (reduced + merges_left < least_mixed_) return false;
  if (merges_left > 0) return true;
  const bool may_unfold_shifts = !space_.rules.has("unfold-of-shift");
  std::int64_t mixed = 0, bases = 0;
  for (std::size_t i = 0; i < space_.input.size(); ++i) {
    const synthesis::SizeId axis = space_.input[i];
    std::int64_t there = 0, mixed_there = 0, bases_there = 0;
    for (const synthesis::CoordId c : state.data) {
      if (space_.coordinates.size(c) != axis) continue;
      const bool is_shift = space_.coordinates[c].kind == CoordinateKind::Shift;
      ++there;
      mixed_there += is_reduced(c);
      bases_there += !is_reduced(c) && (!is_shift || may_unfold_shifts);
    }
    // Of axes of one size, or one that is put together yet, nothing is known.
    const auto equal = std::count(space_.input.begin(), space_.input.end(), axis);
    const bool is_told =
        equal == 1 && there == 1 && !space_.sizes[axis].occurrences.is_within(space_.allowed);
    mixed += is_told ? mixed_there : 1;
    bases += is_told ? bases_there : 0;
  }
  const auto windows = std::count_if(state.data.begin(), state.data.end(), [&](auto c) {
    return is_reduced(c) &&
           space_.sizes[space_.coordinates.size(c)].greatest <= space_.limits.window;
  });
  return mixed + std::min<std::int64_t>(bases, windows) >= least_mixed_;
}

// The distance is asked before the step is taken: most lead too far, and need not be remembered.
StateId Drawing::attempt(const synthesis::State& state, const synthesis::Step& step, int left,
                         int merges) {
  if (synthesis::forbidding(space_, state, step) != nullptr) return kNoState;
  if (reach_.distances().least(with_merges(state, merges), step) > left - 1) return kNoState;
  const StateId next = synthesis::apply(space_, state, step);
  return may_mix(space_.states.unpack(next), merges) ? next : kNoState;
}

std::vector<Way> Drawing::reductions(StateId id) const {
  std::vector<Way> ways;
  const auto stage = stage_of_.find(id);
  if (stage == stage_of_.end()) return ways;
  for (const auto& [step, child] : stages_[stage->second].children) {
    const auto most = static_cast<std::size_t>(space_.limits.merges);
    if (stages_[child].leads_on(most)) ways.push_back({step, stages_[child].id});
  }
  return ways;
}

std::vector<Way> Drawing::views(StateId id) {
  std::vector<Way> ways;
  const auto stage = stage_of_.find(id);
  if (stage != stage_of_.end() && !stages_[stage->second].merges) return ways;
  if (!may_go_on(id)) return ways;
  const synthesis::State state = space_.states.unpack(id);
  steps_.clear();
  synthesis::offer_views(space_, state, steps_);
  for (const synthesis::Step& step : steps_) {
    const StateId next = attempt(state, step, left(id), space_.limits.merges);
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

Way Drawing::advance(StateId id, const Most& most, Rng& rng) {
  const synthesis::State state = space_.states.unpack(id);
  const auto is_used_up = [&](PrimitiveKind kind) {
    return (kind == PrimitiveKind::Merge && state.counts.merges >= most.merges) ||
           (kind == PrimitiveKind::Shift && state.counts.shifts >= most.shifts);
  };
  const bool may_finish = is_end(id);
  synthesis::Few<PrimitiveKind, 16> kinds;
  if (may_go_on(id)) {
    for (const synthesis::Primitive* primitive : synthesis::primitives()) {
      if (synthesis::is_view(space_, state, *primitive) && !is_used_up(primitive->kind)) {
        kinds.push_back(primitive->kind);
      }
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
      const StateId next = attempt(state, step, left(id), most.merges);
      if (next != kNoState) return {step, next};
    }
    kinds.erase(way);  // none of its steps leads on
  }
}

StateId Drawing::walk_from(StateId id, Rng numbers, Rng& rng, std::vector<Way>& trail) {
  const Most most = most_of(id, numbers);
  if (const auto stage = stage_of_.find(id); stage != stage_of_.end()) {
    id = draw_stage(stage->second, most.merges, rng, trail);
    if (id == kNoState) return kNoState;
  }
  while (true) {
    const Way way = advance(id, most, rng);
    if (way.next == kNoState || way.next == id) return way.next;
    trail.push_back(way);
    id = way.next;
  }
}

std::optional<Choice> Drawing::draw_weights(const synthesis::Finishing& finishing, StateId id,
                                            Rng& rng, const Wanted& wanted) const {
  std::vector<Choice> drawn = choices(finishing, id);
  rng.shuffle(std::span<Choice>(drawn));
  drawn.resize(std::min(drawn.size(), kMostAsked));
  int weighed = 0;
  for (const Choice& choice : drawn) {
    const Operator op = synthesis::finish(space_, finishing.anatomy(), choice);
    if (!wanted.is_cheap(op)) continue;
    if (wanted.is_light(op)) return choice;
    if (++weighed == kMostWeighed) break;
  }
  return std::nullopt;
}

std::optional<Operator> Drawing::walk(Rng rng, Rng most, const Wanted& wanted) {
  std::vector<Way> trail;
  const StateId at = walk_from(space_.root, most, rng, trail);
  if (at == kNoState) return std::nullopt;
  const synthesis::Finishing finishing(space_, at);
  const auto choice = draw_weights(finishing, at, rng, wanted);
  if (!choice) return std::nullopt;
  return synthesis::finish(space_, finishing.anatomy(), *choice);
}

}  // namespace cambium::spaces::coordinate
