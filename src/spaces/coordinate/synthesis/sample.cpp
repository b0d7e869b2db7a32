#include "spaces/coordinate/synthesis/sample.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"
#include "spaces/coordinate/synthesis/tree.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

// More choices of weights than this are drawn instead of listed, some perhaps twice.
constexpr std::size_t kMostListed = 20'000;
constexpr int kMostWalks = 1000;  // of one trial

}  // namespace

Sampler::Sampler(Space& space, const SampleOptions& options)
    : space_(space), options_(options), rng_(options.seed), reach_(space) {
  steps_.resize(static_cast<std::size_t>(space.limits.primitives) + 1);
  for (const StateId stage : stages(space, reach_)) {
    if (!is_affordable(options, least_cost(space, stage)) ||
        most_macs(space, stage, most_weights(stage)) < options.least_macs) {
      ++statistics_.pruned;
      continue;
    }
    const std::size_t count = space.states.counts(stage).reductions;
    if (stages_.size() <= count) stages_.resize(count + 1);
    stages_[count].push_back(stage);
  }
}

bool Sampler::is_empty() {
  for (const auto& stages : stages_) {
    for (const StateId stage : stages) {
      if (reach_.can_finish(stage, left(stage))) return false;
    }
  }
  return true;
}

std::uint16_t& Sampler::used(StateId id) {
  if (used_.size() <= id) used_.resize(id + id / 2 + 64, 0);
  return used_[id];
}

std::size_t Sampler::bytes() const {
  return used_.capacity() * sizeof(used_[0]);
}

Sampler::Walk Sampler::close(StateId id) {
  // Without a guide nothing is learned, as in the ablation.
  if (options_.guide != Guide::None) {
    used(id) = kClosed;
    ++statistics_.closed;
  }
  return Walk::Dead;
}

// Draws the number of reductions first and then the set, because large sets are far more numerous.
StateId Sampler::draw_stage() {
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (!stages_[i].empty()) counts.push_back(i);
  }
  while (!counts.empty()) {
    const std::size_t at = rng_.below(counts.size());
    std::vector<StateId>& stages = stages_[counts[at]];
    while (!stages.empty()) {
      const std::size_t i = rng_.below(stages.size());
      const StateId stage = stages[i];
      if (!is_closed(stage)) return stage;
      stages[i] = stages.back();  // never again
      stages.pop_back();
    }
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(at));
  }
  is_exhausted_ = true;
  return kNoState;
}

StateId Sampler::attempt(const State& state, const Step& step, int left) {
  if (forbidding(space_, state, step) != nullptr) {
    ++reach_.statistics().refused;
    return kNoState;
  }
  ++applied_;
  const bool is_guided = options_.guide != Guide::None;
  if (is_guided && reach_.distances().least(state, step) > left - 1) {
    ++reach_.statistics().far;
    return kNoState;
  }
  ++reach_.statistics().applications;
  const StateId next = apply(space_, state, step);
  return is_guided && is_closed(next) ? kNoState : next;
}

bool Sampler::is_tired() const {
  return options_.guide == Guide::Exact && options_.patience > 0 && applied_ >= options_.patience;
}

Sampler::Walk Sampler::descend(StateId id) {
  const bool may_finish = used(id) < kNoMoreChoices && may_match(space_, space_.states.data(id));
  const State state = space_.states.unpack(id);
  return options_.law == Law::ByStep ? by_step(id, state, may_finish)
                                     : by_kind(id, state, may_finish);
}

Sampler::Walk Sampler::try_steps(StateId id, const State& state, Steps& steps) {
  while (!steps.empty()) {
    if (is_tired()) return Walk::Lost;
    std::swap(steps[rng_.below(steps.size())], steps.back());
    const Step step = steps.back();
    steps.pop_back();
    if (step.kind == PrimitiveKind::Contraction) {
      if (open_deck(id)) return Walk::Found;
      continue;
    }
    const StateId next = attempt(state, step, left(id));
    if (next == kNoState) continue;
    const Walk walk = descend(next);
    if (walk != Walk::Dead) return walk;
    if (options_.guide != Guide::Exact) return Walk::Lost;  // no way back
  }
  return Walk::Dead;
}

Sampler::Walk Sampler::by_kind(StateId id, const State& state, bool may_finish) {
  Few<PrimitiveKind, 16> kinds;
  if (left(id) > (space_.limits.weight_free ? 0 : 1)) {
    for (const Primitive* primitive : primitives()) {
      if (is_view(space_, state, *primitive)) kinds.push_back(primitive->kind);
    }
  }
  Steps& steps = steps_[static_cast<std::size_t>(left(id))];
  while (true) {
    const std::uint64_t ways = kinds.size() + (may_finish ? 1 : 0);
    if (ways == 0) return close(id);
    const std::uint64_t way = rng_.below(ways);
    if (way == kinds.size()) {
      if (open_deck(id)) return Walk::Found;
      may_finish = false;
      continue;
    }
    steps.clear();
    offer(space_, state, row(kinds[way]), steps);
    const Walk walk = try_steps(id, state, steps);
    if (walk != Walk::Dead) return walk;
    kinds.erase(way);  // none of its steps leads on
  }
}

// Finishing counts as one more step among the others.
Sampler::Walk Sampler::by_step(StateId id, const State& state, bool may_finish) {
  Steps& steps = steps_[static_cast<std::size_t>(left(id))];
  steps.clear();
  if (left(id) > (space_.limits.weight_free ? 0 : 1)) offer_views(space_, state, steps);
  if (may_finish) steps.push_back({PrimitiveKind::Contraction, kSizeOne, kNoCoord, kNoCoord});
  const Walk walk = try_steps(id, state, steps);
  return walk == Walk::Dead ? close(id) : walk;
}

bool Sampler::open_deck(StateId id) {
  path_.emplace(space_, id, &options_);
  path_end_ = id;
  deck_.clear();
  for (int weights = least_weights(); weights <= most_weights(id); ++weights) {
    path_->each(weights, [&](const Choice& choice) {
      deck_.push_back(choice);
      return deck_.size() < kMostListed;
    });
  }
  statistics_.pruned += path_->pruned();
  draws_left_ = options_.draws_per_path;
  is_whole_deck_ = deck_.size() < kMostListed;
  if (!is_whole_deck_) return true;
  rng_.split(id).shuffle(std::span<Choice>(deck_));  // the same order whenever the state is met
  std::uint16_t& dealt = used(id);
  deck_.resize(deck_.size() - std::min<std::size_t>(deck_.size(), dealt));
  if (deck_.empty()) dealt = kNoMoreChoices;
  return !deck_.empty();
}

Choice Sampler::draw_choice() {
  if (!is_whole_deck_) {
    const auto weights = static_cast<int>(rng_.between(least_weights(), most_weights(path_end_)));
    if (const auto choice = path_->guess(weights, rng_)) return *choice;
    return deck_[rng_.below(deck_.size())];
  }
  const Choice choice = deck_.back();
  deck_.pop_back();
  std::uint16_t& dealt = used(path_end_);
  dealt = deck_.empty() ? kNoMoreChoices : static_cast<std::uint16_t>(dealt + 1);
  return choice;
}

std::optional<Sample> Sampler::deal() {
  --draws_left_;
  const Choice choice = draw_choice();
  Sample sample{path_end_, choice, finish(space_, path_->anatomy(), choice)};
  if (!is_within(options_, space_, path_->anatomy(), choice, sample.op)) {
    ++statistics_.over_budget;
    return std::nullopt;
  }
  ++statistics_.valid;
  return sample;
}

std::optional<Sample> Sampler::trial() {
  ++statistics_.trials;
  if (draws_left_ > 0 && !deck_.empty()) return deal();
  // With the exact guide, a walk that exhausted its patience or its stage starts again.
  const int walks = options_.guide == Guide::Exact ? kMostWalks : 1;
  for (int i = 0; i < walks; ++i) {
    const StateId stage = draw_stage();
    if (stage == kNoState) break;
    applied_ = 0;
    if (descend(stage) == Walk::Found) return deal();
    statistics_.given_up += is_tired() ? 1 : 0;
  }
  ++statistics_.dead_ends;
  return std::nullopt;
}

}  // namespace cambium::spaces::coordinate::synthesis
