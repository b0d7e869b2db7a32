#include "spaces/coordinate/synthesis/sample.h"

#include <algorithm>
#include <bit>

#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"
#include "spaces/coordinate/synthesis/tree.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

double parameters(const Space& space, const Anatomy& anatomy, const Choice& choice) {
  double sum = 0;
  for (std::size_t b = 0; b < space.sizes.bindings(); ++b) {
    for (const Reads weight : choice.weights) {
      double elements = 1;
      for (Reads rest = weight; rest != 0; rest &= rest - 1) {
        const auto place = static_cast<std::size_t>(std::countr_zero(rest));
        const SizeId size = space.coordinates.size(anatomy.coords[place]);
        elements *= static_cast<double>(space.sizes.values(size)[b]);
      }
      sum += elements;
    }
  }
  return sum;
}

}  // namespace

Sampler::Sampler(Space& space, const SampleOptions& options)
    : space_(space), options_(options), rng_(options.seed), reach_(space, options.patience) {
  for (const StateId stage : stages(space, reach_)) {
    const std::size_t count = space.states.counts(stage).reductions;
    if (stages_.size() <= count) stages_.resize(count + 1);
    stages_[count].push_back(stage);
  }
}

bool Sampler::is_open(StateId id, int left) {
  switch (options_.guide) {
    case Guide::None: return true;
    case Guide::Distance: return reach_.is_near(id, left);
    case Guide::Exact: return reach_.can_finish(id, left);
  }
  return false;
}

bool Sampler::is_empty() {
  for (const auto& stages : stages_) {
    for (const StateId stage : stages) {
      const int left = space_.limits.primitives - space_.states.counts(stage).all();
      if (reach_.can_finish(stage, left)) return false;
    }
  }
  return true;
}

// The number of reductions first, then which: sets of many would crowd out those of few.
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
      if (is_open(stage, space_.limits.primitives - space_.states.counts(stage).all())) {
        return stage;
      }
      stages[i] = stages.back();  // never again
      stages.pop_back();
    }
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return kNoState;
}

StateId Sampler::advance(StateId id, int left) {
  const std::optional<int> weights = reach_.weights_needed(id);
  const bool may_finish = weights && *weights <= left;
  const State state = space_.states.unpack(id);
  const bool may_go_on = left > (space_.limits.weight_free ? 0 : 1);
  Few<PrimitiveKind, 16> kinds;
  if (may_go_on) {
    for (const Primitive* primitive : primitives()) {
      if (is_view(space_, state, *primitive)) kinds.push_back(primitive->kind);
    }
  }
  if (options_.law == Law::ByStep) {
    steps_.clear();
    for (const PrimitiveKind kind : kinds) offer(space_, state, row(kind), steps_);
    while (true) {  // finishing takes part in every draw
      const std::uint64_t way = rng_.below(steps_.size() + 1);
      if (way == steps_.size()) {
        if (may_finish) return id;
        if (steps_.empty()) return dead(id, left);
        continue;
      }
      std::swap(steps_[way], steps_.back());
      const Step step = steps_.back();
      steps_.pop_back();
      const StateId next = attempt(state, step, left);
      if (next != kNoState) return next;
    }
  }
  while (true) {
    const std::uint64_t ways = kinds.size() + (may_finish ? 1 : 0);
    if (ways == 0) return dead(id, left);
    const std::uint64_t way = rng_.below(ways);
    if (way == kinds.size()) return id;
    steps_.clear();
    offer(space_, state, row(kinds[way]), steps_);
    while (!steps_.empty()) {
      std::swap(steps_[rng_.below(steps_.size())], steps_.back());
      const Step step = steps_.back();
      steps_.pop_back();
      const StateId next = attempt(state, step, left);
      if (next != kNoState) return next;
    }
    kinds.erase(way);  // none of its steps leads on
  }
}

// All steps were tried: with the guide this proves that so many are not enough.
StateId Sampler::dead(StateId id, int left) {
  if (options_.guide == Guide::Distance) reach_.note_dead(id, left);
  return kNoState;
}

StateId Sampler::attempt(const State& state, const Step& step, int left) {
  if (forbidding(space_, state, step) != nullptr) {
    ++reach_.statistics().refused;
    return kNoState;
  }
  ++reach_.statistics().applications;
  const StateId next = apply(space_, state, step);
  return is_open(next, left - 1) ? next : kNoState;
}

bool Sampler::is_within_budgets(const Finishing& finishing, const Sample& sample) const {
  if (parameters(space_, finishing.anatomy(), sample.choice) > options_.most_parameters) {
    return false;
  }
  if (options_.macs == nullptr) return true;
  const Result<double> macs = options_.macs(sample.op, space_.problem.bindings);
  return macs.ok() && *macs >= options_.least_macs && *macs <= options_.most_macs;
}

std::optional<Sample> Sampler::finish_path() {
  --draws_left_;
  const int left = space_.limits.primitives - space_.states.counts(path_end_).all();
  const int least = *reach_.weights_needed(path_end_);
  const int most = std::min(left, space_.limits.weights);
  std::optional<Choice> choice;
  // More weights than needed are not always possible.
  for (int weights = static_cast<int>(rng_.between(least, most)); !choice; --weights) {
    choice = path_->draw(weights, rng_);
  }
  Sample sample{path_end_, *choice, finish(space_, path_->anatomy(), *choice)};
  if (!is_within_budgets(*path_, sample)) {
    ++statistics_.over_budget;
    return std::nullopt;
  }
  ++statistics_.valid;
  return sample;
}

std::optional<Sample> Sampler::trial() {
  ++statistics_.trials;
  if (draws_left_ > 0) return finish_path();
  StateId at = draw_stage();
  while (at != kNoState) {
    const int left = space_.limits.primitives - space_.states.counts(at).all();
    const StateId next = advance(at, left);
    if (next == at) {
      path_end_ = at;
      path_.emplace(space_, at);
      draws_left_ = options_.draws_per_path;
      return finish_path();
    }
    at = next;
  }
  ++statistics_.dead_ends;
  return std::nullopt;
}

}  // namespace cambium::spaces::coordinate::synthesis
