// How fast the loop-nest space is drawn from: documents for the shapes of three networks, each
// replayed, brought into its normal form and written; whole candidates with their costs; all
// functions of a layer.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.h"
#include "model/target.h"
#include "model/zoo/zoo.h"
#include "spaces/loopnest/listing.h"
#include "spaces/loopnest/space.h"
#include "spaces/loopnest/walks.h"

namespace {

using namespace cambium;
using namespace cambium::spaces::loopnest;

constexpr const char* kNetworks[] = {"resnet34-cifar", "resnext29-2x64d", "densenet161-cifar"};

// What the space knows of a network, with a layer for each shape.
struct Known {
  explicit Known(std::int64_t network)
      : shapes(options.limits()), survey(model::zoo::build(kNetworks[network]).value(), shapes) {
    std::vector<std::size_t> sites;
    for (std::size_t i = 0; i < survey.sites().size(); ++i) sites.push_back(i);
    for (const Layer& layer : layers_of(survey, sites, "shape")) {
      layers.push_back({layer.name, {layer.sites.front()}});
    }
  }

  LoopNestOptions options;
  VariantsByShape shapes;
  Survey survey;
  std::vector<Layer> layers;
};

// Nothing is known at the start, and the space remembers what it has seen, as in a search.
void draw_documents(benchmark::State& state) {
  Known known(state.range(0));
  Rng rng(1);
  std::size_t layer = 0;
  std::int64_t documents = 0;
  for (auto _ : state) {
    const Draft draft(known.survey);
    const Variant* const variant =
        drawn(draft, known.layers[layer++ % known.layers.size()], known.options, rng);
    documents += variant != nullptr && !variant->is_original() ? 1 : 0;
    benchmark::DoNotOptimize(variant);
  }
  state.SetItemsProcessed(documents);
  state.SetLabel(kNetworks[state.range(0)]);
}
BENCHMARK(draw_documents)->DenseRange(0, 2)->Unit(benchmark::kMicrosecond);

void draw_candidates(benchmark::State& state) {
  const model::Model base = model::zoo::build(kNetworks[state.range(0)]).value();
  const auto space = LoopNestSpace::make(base, model::select(base, "conv:*").value()).value();
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const auto edits = space->samples()->sample(++seed);
    if (edits.ok()) benchmark::DoNotOptimize(space->cost_bound(*edits, {}));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(seed));
  state.SetLabel(kNetworks[state.range(0)]);
}
BENCHMARK(draw_candidates)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

// Options of every layer, as `compose` asks for them.
void list_options(benchmark::State& state) {
  const model::Model base = model::zoo::build(kNetworks[state.range(0)]).value();
  std::size_t options = 0;
  for (auto _ : state) {
    const auto space = LoopNestSpace::make(base, model::select(base, "conv:*").value()).value();
    options = 0;
    for (std::size_t site = 0; site < space->offers()->site_count(); ++site) {
      options += space->offers()->options_at(site).size();
    }
  }
  state.counters["options"] = static_cast<double>(options);
  state.SetLabel(kNetworks[state.range(0)]);
}
BENCHMARK(list_options)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

// All functions of so many moves at a layer of 64 channels.
void list_functions(benchmark::State& state) {
  std::int64_t functions = 0;
  for (auto _ : state) {
    Known known(0);
    Listing listing(known.survey, known.layers.at(1), static_cast<int>(state.range(0)));
    functions = 0;
    while (listing.next()) ++functions;
  }
  state.counters["functions"] = static_cast<double>(functions);
}
BENCHMARK(list_functions)->DenseRange(1, 3)->Unit(benchmark::kMillisecond);

}  // namespace
