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
  return !options_.guided || reach_.can_finish(id, left);
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
  steps_.clear();
  if (left > (space_.limits.weight_free ? 0 : 1)) offer_views(space_, state, steps_);
  // Steps of a kind stand side by side; those that fail are moved out of their range.
  struct Range {
    std::size_t begin, end;
  };
  Few<Range, 16> ranges;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const bool is_new =
        i == 0 || (options_.law == Law::ByKind && steps_[i].kind != steps_[i - 1].kind);
    if (is_new) ranges.push_back({i, i});
    ranges.back().end = i + 1;
  }
  while (true) {
    std::uint64_t ways = may_finish ? 1 : 0;
    if (options_.law == Law::ByKind) ways += ranges.size();
    if (options_.law == Law::ByStep && !ranges.empty()) ways += ranges[0].end - ranges[0].begin;
    if (ways == 0) return kNoState;
    const std::uint64_t way = rng_.below(ways);
    if (may_finish && way + 1 == ways) return id;
    const std::size_t r = options_.law == Law::ByKind ? way : 0;
    Range& range = ranges[r];
    // By step, finishing takes part in every draw.
    const std::size_t until = options_.law == Law::ByKind ? range.end : range.begin + 1;
    while (range.begin < until) {
      std::swap(steps_[range.begin + rng_.below(range.end - range.begin)], steps_[range.begin]);
      const Step& step = steps_[range.begin++];
      if (forbidding(space_, state, step) != nullptr) {
        ++reach_.statistics().refused;
        continue;
      }
      ++reach_.statistics().applications;
      const StateId next = apply(space_, state, step);
      if (is_open(next, left - 1)) return next;
    }
    if (range.begin == range.end) ranges.erase(r);
  }
}

std::optional<Sample> Sampler::finish_with(StateId id, int left) {
  const Finishing finishing(space_, id);
  const int least = *reach_.weights_needed(id);
  const int most = std::min(left, space_.limits.weights);
  std::optional<Choice> choice;
  // More weights than needed are not always possible.
  for (int weights = static_cast<int>(rng_.between(least, most)); !choice; --weights) {
    choice = finishing.draw(weights, rng_);
  }
  if (parameters(space_, finishing.anatomy(), *choice) > options_.most_parameters) {
    ++statistics_.over_budget;
    return std::nullopt;
  }
  Sample sample{id, *choice, finish(space_, finishing.anatomy(), *choice)};
  if (options_.macs != nullptr) {
    const Result<double> macs = options_.macs(sample.op, space_.problem.bindings);
    if (!macs.ok() || *macs < options_.least_macs || *macs > options_.most_macs) {
      ++statistics_.over_budget;
      return std::nullopt;
    }
  }
  ++statistics_.valid;
  return sample;
}

std::optional<Sample> Sampler::trial() {
  ++statistics_.trials;
  StateId at = draw_stage();
  while (at != kNoState) {
    const int left = space_.limits.primitives - space_.states.counts(at).all();
    const StateId next = advance(at, left);
    if (next == at) return finish_with(at, left);
    at = next;
  }
  ++statistics_.dead_ends;
  return std::nullopt;
}

}  // namespace cambium::spaces::coordinate::synthesis
