// What it takes to decide on a proposal of the coordinate space: the whole way that applies the
// edit and counts the model, its parts, and the way that asks the document alone.
#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>
#include <time.h>

#include "base/quantile.h"
#include "model/cost.h"
#include "model/recognize/pass.h"
#include "model/zoo/zoo.h"
#include "spaces/coordinate/search/space.h"

namespace {

namespace s = cambium::spaces::coordinate;
namespace m = cambium::model;
using cambium::spaces::Costs;

struct Setting {
  const char* network;
  const char* selector;
};
constexpr Setting kSettings[] = {{"tiny-resnet", "conv:k=3,groups=1"},
                                 {"resnet18-cifar", "conv:k=3,groups=1"},
                                 {"resnet18", "conv:k=3,groups=1"},
                                 {"mobilenet-v2", "conv:k=3"}};
constexpr std::int64_t kLast = std::ssize(kSettings) - 1;
constexpr std::uint64_t kEdits = 100;

// Edits of any weight, so that most break a limit of twice the activations.
struct Proposals {
  explicit Proposals(const Setting& setting) : base(m::zoo::build(setting.network, {}).value()) {
    s::SpaceOptions options;
    options.most_activations = std::numeric_limits<double>::infinity();
    space =
        s::CoordinateSpace::make(base, m::select(base, setting.selector).value(), options).value();
    for (std::uint64_t seed = 0; seed < kEdits; ++seed) {
      auto edits = space->samples()->sample(seed);
      if (edits.ok()) all.push_back(std::move(edits).value());
    }
  }

  const cambium::spaces::Edits& next() { return all[at++ % all.size()]; }

  m::Model base;
  std::unique_ptr<s::CoordinateSpace> space;
  std::vector<cambium::spaces::Edits> all;
  std::size_t at = 0;
};

Proposals& proposals(benchmark::State& state) {
  static std::unique_ptr<Proposals> all[std::size(kSettings)];
  const auto which = static_cast<std::size_t>(state.range(0));
  state.SetLabel(kSettings[which].network);
  if (all[which] == nullptr) all[which] = std::make_unique<Proposals>(kSettings[which]);
  all[which]->at = 0;
  return *all[which];
}

void check_edit(benchmark::State& state) {
  Proposals& it = proposals(state);
  for (auto _ : state) benchmark::DoNotOptimize(it.space->check(it.base, it.next().front()));
}
BENCHMARK(check_edit)->DenseRange(0, kLast)->Unit(benchmark::kMillisecond);

void apply_edit(benchmark::State& state) {
  Proposals& it = proposals(state);
  for (auto _ : state) benchmark::DoNotOptimize(it.space->apply(it.base, it.next().front()));
}
BENCHMARK(apply_edit)->DenseRange(0, kLast)->Unit(benchmark::kMillisecond);

void cost_of_the_applied_model(benchmark::State& state) {
  Proposals& it = proposals(state);
  for (auto _ : state) {
    const auto model = it.space->apply(it.base, it.next().front());
    benchmark::DoNotOptimize(m::cost_of(*model));
    benchmark::DoNotOptimize(m::pass_of(*model));
  }
}
BENCHMARK(cost_of_the_applied_model)->DenseRange(0, kLast)->Unit(benchmark::kMillisecond);

double thread_microseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

// As a search decides with these limits. The counters are of the proposals that are refused.
void decide(benchmark::State& state, const Costs& limits, Proposals& it) {
  std::vector<double> refused(it.all.size(), std::numeric_limits<double>::infinity());
  (void)it.space->cost_bound(it.next(), limits);  // counts the surroundings
  it.at = 0;
  for (auto _ : state) {
    const std::size_t number = it.at % it.all.size();
    const double begin = thread_microseconds();
    const Costs bound = it.space->cost_bound(it.next(), limits);
    const double us = thread_microseconds() - begin;
    if (exceeds(bound, limits)) refused[number] = std::min(refused[number], us);
  }
  std::erase(refused, std::numeric_limits<double>::infinity());
  state.counters["refused"] =
      static_cast<double>(refused.size()) / static_cast<double>(it.all.size());
  if (refused.empty()) return;
  double sum = 0;
  for (const double us : refused) sum += us;
  state.counters["mean_us"] = sum / static_cast<double>(refused.size());
  state.counters["p90_us"] = cambium::quantile(refused, 0.9);
  state.counters["max_us"] = *std::max_element(refused.begin(), refused.end());
}

void by_activations(benchmark::State& state) {
  Proposals& it = proposals(state);
  decide(state, {.activations = 2 * static_cast<double>(m::pass_of(it.base).activation_bytes)}, it);
}
BENCHMARK(by_activations)->DenseRange(0, kLast)->Unit(benchmark::kMillisecond);

void by_macs(benchmark::State& state) {
  Proposals& it = proposals(state);
  decide(state, {.macs = 0.4 * static_cast<double>(m::cost_of(it.base).macs)}, it);
}
BENCHMARK(by_macs)->DenseRange(0, kLast)->Unit(benchmark::kMillisecond);

void by_parameters(benchmark::State& state) {
  Proposals& it = proposals(state);
  decide(state, {.parameters = 0.4 * static_cast<double>(m::cost_of(it.base).params)}, it);
}
BENCHMARK(by_parameters)->DenseRange(0, kLast)->Unit(benchmark::kMillisecond);

void by_memory(benchmark::State& state) {
  Proposals& it = proposals(state);
  const m::Cost cost = m::cost_of(it.base);
  decide(state, {.memory = 0.4 * static_cast<double>(cost.weight_bytes + cost.peak_bytes)}, it);
}
BENCHMARK(by_memory)->DenseRange(0, kLast)->Unit(benchmark::kMillisecond);

// All at once, as the demo's searches have them.
void by_all(benchmark::State& state) {
  Proposals& it = proposals(state);
  const m::Cost cost = m::cost_of(it.base);
  decide(state,
         {.macs = 0.4 * static_cast<double>(cost.macs),
          .parameters = 0.4 * static_cast<double>(cost.params),
          .activations = 2 * static_cast<double>(m::pass_of(it.base).activation_bytes)},
         it);
}
BENCHMARK(by_all)->DenseRange(0, kLast)->Unit(benchmark::kMillisecond);

}  // namespace
