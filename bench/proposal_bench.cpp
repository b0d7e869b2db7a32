// What it takes to decide on a proposal of the coordinate space: the whole way that applies the
// edit and counts the model that comes out, its parts, and the way that asks the document alone.
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "model/cost.h"
#include "model/recognize/pass.h"
#include "model/zoo/zoo.h"
#include "spaces/coordinate/search/space.h"

namespace {

namespace s = cambium::spaces::coordinate;
namespace m = cambium::model;

struct Setting {
  const char* network;
  const char* selector;
};
constexpr Setting kSettings[] = {{"tiny-resnet", "conv:k=3,groups=1"},
                                 {"resnet18-cifar", "conv:k=3,groups=1"},
                                 {"mobilenet-v2", "conv:k=3"}};
constexpr std::uint64_t kEdits = 40;

// Edits of any weight, so that most break a limit of twice the activations.
struct Proposals {
  explicit Proposals(const Setting& setting) : base(m::zoo::build(setting.network, {}).value()) {
    s::SpaceOptions options;
    options.most_activations = std::numeric_limits<double>::infinity();
    space =
        s::CoordinateSpace::make(base, m::select(base, setting.selector).value(), options).value();
    for (std::uint64_t seed = 0; seed < kEdits; ++seed) {
      auto edit = space->samples()->sample(seed);
      if (edit.ok()) edits.push_back(std::move(edit).value());
    }
  }

  const cambium::spaces::Edit& next() { return edits[at++ % edits.size()]; }

  m::Model base;
  std::unique_ptr<s::CoordinateSpace> space;
  std::vector<cambium::spaces::Edit> edits;
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
  for (auto _ : state) benchmark::DoNotOptimize(it.space->check(it.base, it.next()));
}
BENCHMARK(check_edit)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

void apply_edit(benchmark::State& state) {
  Proposals& it = proposals(state);
  for (auto _ : state) benchmark::DoNotOptimize(it.space->apply(it.base, it.next()));
}
BENCHMARK(apply_edit)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

void cost_of_the_applied_model(benchmark::State& state) {
  Proposals& it = proposals(state);
  for (auto _ : state) {
    const auto model = it.space->apply(it.base, it.next());
    benchmark::DoNotOptimize(m::cost_of(*model));
    benchmark::DoNotOptimize(m::pass_of(*model));
  }
}
BENCHMARK(cost_of_the_applied_model)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

// As a search decides with a limit of twice the activations of the original.
void decide_from_the_document(benchmark::State& state) {
  Proposals& it = proposals(state);
  const double most = 2 * static_cast<double>(m::pass_of(it.base).activation_bytes);
  std::int64_t refused = 0;
  for (auto _ : state) refused += it.space->activation_bound(it.next(), most).value_or(0) > most;
  state.counters["refused"] =
      benchmark::Counter(static_cast<double>(refused), benchmark::Counter::kAvgIterations);
}
BENCHMARK(decide_from_the_document)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace
