#include "synth/measure.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_set>

#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"
#include "spaces/coordinate/synthesis/sample.h"

namespace cambium::bench {
namespace {

namespace coordinate = spaces::coordinate;
namespace synthesis = spaces::coordinate::synthesis;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The convolutions 3x3 of ResNet-34, stride done by pooling before as in the paper's search.
Result<coordinate::Problem> resnet_problem() {
  constexpr int kLayers[][3] = {{64, 64, 56},   {64, 128, 28}, {128, 128, 28}, {128, 256, 14},
                                {256, 256, 14}, {256, 512, 7}, {512, 512, 7}};
  std::vector<std::string> bindings;
  for (const auto& [in, out, side] : kLayers) {
    bindings.push_back("N=1, Ci=" + std::to_string(in) + ", Co=" + std::to_string(out) +
                       ", H=" + std::to_string(side) + ", W=" + std::to_string(side) +
                       ", k=3, k2=7, s=2, g=32");
  }
  return coordinate::problem_of("[N, Ci, H, W]", "[N, Co, H, W]", bindings);
}

// Those of the paper's search script.
synthesis::Limits resnet_limits(const coordinate::Problem& problem, int primitives) {
  synthesis::Limits limits;
  limits.primitives = primitives;
  limits.window_ratio = 2.3;
  const auto set = [&](std::string_view name, std::uint8_t most) {
    limits.occurrences[problem.sizes.find(name)->index] = most;
  };
  set("H", 0), set("W", 0), set("Ci", 2), set("Co", 4);
  set("k", 2), set("k2", 2), set("s", 2), set("g", 3);
  return limits;
}

double convolution_macs(const coordinate::Problem& problem) {
  double sum = 0;
  for (const expr::Binding& binding : problem.bindings) {
    const auto value = [&](std::string_view name) {
      return static_cast<double>(binding[*problem.sizes.find(name)]);
    };
    sum += value("Ci") * value("Co") * value("H") * value("W") * 9;
  }
  return sum;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Result<SynthNumbers> measure_sampling(const SynthOptions& options) {
  const auto start = Clock::now();
  CAMBIUM_TRY(coordinate::Problem problem, resnet_problem());
  const synthesis::Limits limits = resnet_limits(problem, options.primitives);
  synthesis::SampleOptions how;
  how.seed = options.seed;
  how.guide = options.guide;
  how.draws_per_path = 16;
  how.macs = coordinate::fewest_macs;
  how.least_macs = 0.15 * convolution_macs(problem);
  how.most_macs = 0.9 * convolution_macs(problem);
  CAMBIUM_TRY(const auto space, synthesis::Space::make(std::move(problem), limits));
  synthesis::Sampler sampler(*space, how);
  SynthNumbers numbers;
  numbers.start_seconds = since(start);
  coordinate::SemanticHasher hasher(space->problem);
  std::unordered_set<Fingerprint> distinct;
  const auto begin = Clock::now();
  double next = 1e-3;
  const auto note = [&] {
    numbers.curve.push_back(
        {since(begin), sampler.statistics().trials, sampler.statistics().valid, distinct.size()});
  };
  while (since(begin) < options.seconds && sampler.statistics().trials < options.most_trials) {
    const auto sample = sampler.trial();
    if (sample) {
      const Result<Fingerprint> fingerprint = hasher.fingerprint(sample->op);
      if (fingerprint.ok()) distinct.insert(*fingerprint);
    }
    if (since(begin) >= next) {
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
  CAMBIUM_TRY(coordinate::Problem problem, resnet_problem());
  const synthesis::Limits limits = resnet_limits(problem, 12);
  CAMBIUM_TRY(const auto space, synthesis::Space::make(std::move(problem), limits));
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
  const auto begin = Clock::now();
  for (std::size_t i = 0; since(begin) < 2 && !met.empty(); ++i) {
    const synthesis::State state = space->states.unpack(met[i % met.size()]);
    steps.clear();
    offer_views(*space, state, steps);
    for (const synthesis::Step& step : steps) {
      ++applied;
      if (forbidding(*space, state, step) == nullptr) apply(*space, state, step);
    }
  }
  speeds.applications_per_second = static_cast<double>(applied) / since(begin);
  synthesis::Distances distances(*space);
  std::vector<double> all, cold;
  for (const synthesis::StateId id : met) {
    const synthesis::State state = space->states.unpack(id);
    const std::size_t known = distances.count();
    const auto from = Clock::now();
    distances.least(state);
    const double ns = since(from) * 1e9;
    all.push_back(ns);
    if (distances.count() > known) cold.push_back(ns);
  }
  speeds.distance_median_ns = median(all);
  speeds.distance_cold_median_ns = median(cold);
  return speeds;
}

}  // namespace cambium::bench
