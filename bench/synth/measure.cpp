#include "synth/measure.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "base/quantile.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/seen.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"
#include "spaces/coordinate/synthesis/sample.h"
#include "stopwatch.h"
#include "synth/setting.h"

namespace cambium::bench {
namespace {

namespace coordinate = spaces::coordinate;
namespace synthesis = spaces::coordinate::synthesis;
constexpr int kTrialsPerLook = 16;  // at the clock

// What was drawn before is known without asking what it computes.
Fingerprint key_of(const synthesis::Sample& sample) {
  return Hasher()
      .add(sample.state)
      .add_range(sample.choice.weights)
      .add_range(sample.choice.axes)
      .done();
}

}  // namespace

Result<SynthNumbers> measure_sampling(const SamplingOptions& options) {
  const Stopwatch start;
  CAMBIUM_TRY(const auto space, resnet_space(options.primitives));
  synthesis::SampleOptions how;
  how.seed = options.seed;
  how.guide = options.guide;
  how.draws_per_path = 16;
  how.macs = coordinate::fewest_macs;
  how.least_macs = 0.15 * convolution_macs(space->problem);
  how.most_macs = 0.9 * convolution_macs(space->problem);
  synthesis::Sampler sampler(*space, how);
  SynthNumbers numbers;
  numbers.start_seconds = start.seconds();
  coordinate::SeenOperators seen(space->problem);
  std::unordered_set<Fingerprint> drawn;
  const Stopwatch begin;
  double next = 1e-3;
  const auto note = [&] {
    numbers.curve.push_back(
        {begin.seconds(), sampler.statistics().trials, sampler.statistics().valid, seen.count()});
  };
  for (double now = 0; now < options.seconds && !sampler.is_exhausted(); now = begin.seconds()) {
    for (int i = 0; i < kTrialsPerLook; ++i) {
      const auto sample = sampler.trial();
      if (!sample || !drawn.insert(key_of(*sample)).second) continue;
      (void)seen.add(sample->op);  // what has no fingerprint is not counted
    }
    if (now >= next) {
      note();
      next *= 1.25;
    }
  }
  note();
  numbers.over_budget = sampler.statistics().over_budget;
  numbers.dead_ends = sampler.statistics().dead_ends;
  numbers.applications = sampler.reach().statistics().applications;
  numbers.refused = sampler.reach().statistics().refused;
  numbers.states = space->states.count();
  numbers.bytes_per_state =
      static_cast<double>(space->states.bytes() + space->coordinates.bytes()) /
      static_cast<double>(space->states.count());
  return numbers;
}

Result<SynthSpeeds> measure_speeds(std::uint64_t seed) {
  CAMBIUM_TRY(const auto space, resnet_space(12));
  synthesis::SampleOptions how;
  how.seed = seed;
  synthesis::Sampler sampler(*space, how);
  std::vector<synthesis::StateId> met;
  for (int i = 0; i < 200; ++i) {
    const std::size_t before = space->states.count();
    sampler.trial();
    for (std::size_t id = before; id < space->states.count() && met.size() < 20000; id += 3) {
      met.push_back(static_cast<synthesis::StateId>(id));
    }
  }
  SynthSpeeds speeds;
  std::uint64_t applied = 0;
  synthesis::Steps steps;
  const Stopwatch begin;
  for (std::size_t i = 0; begin.seconds() < 2 && !met.empty(); ++i) {
    const synthesis::State state = space->states.unpack(met[i % met.size()]);
    steps.clear();
    offer_views(*space, state, steps);
    for (const synthesis::Step& step : steps) {
      ++applied;
      if (forbidding(*space, state, step) == nullptr) apply(*space, state, step);
    }
  }
  speeds.applications_per_second = static_cast<double>(applied) / begin.seconds();
  synthesis::Distances distances(*space);
  std::vector<double> all, cold;
  for (const synthesis::StateId id : met) {
    const synthesis::State state = space->states.unpack(id);
    const std::size_t known = distances.count();
    const auto from =
        std::chrono::steady_clock::now();  // asking a Stopwatch takes longer than this
    distances.least(state);
    const double ns =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - from).count();
    all.push_back(ns);
    if (distances.count() > known) cold.push_back(ns);
  }
  speeds.distance_median_ns = median(all);
  speeds.distance_cold_median_ns = median(cold);
  return speeds;
}

}  // namespace cambium::bench
