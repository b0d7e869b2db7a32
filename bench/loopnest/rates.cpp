// How fast the space is sampled and listed, and how fast fronts are composed. Seconds are processor
// time of one thread.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "engine/files.h"
#include "loopnest/parts.h"
#include "loopnest/sack.h"
#include "search/knapsack.h"
#include "spaces/loopnest/layers.h"
#include "spaces/loopnest/listing.h"
#include "spaces/loopnest/survey.h"
#include "spaces/loopnest/walks.h"
#include "stopwatch.h"

namespace cambium::bench {
namespace {

namespace loopnest = spaces::loopnest;

constexpr const char* kModels[] = {"zoo:resnet34-cifar", "zoo:resnext29-2x64d",
                                   "zoo:densenet161-cifar"};

// One model with one layer for each shape of its convolutions.
struct Shapes {
  loopnest::LoopNestOptions options;
  loopnest::VariantsByShape variants;
  loopnest::Survey survey;
  std::vector<loopnest::Layer> layers;

  explicit Shapes(const model::Model& model) : variants(options.limits()), survey(model, variants) {
    std::vector<std::size_t> sites;
    for (std::size_t i = 0; i < survey.sites().size(); ++i) sites.push_back(i);
    for (const loopnest::Layer& layer : loopnest::layers_of(survey, sites, "shape")) {
      layers.push_back({layer.name, {layer.sites.front()}});
    }
  }
};

// Documents as samples draw them: walks of one to four moves and the paper's sequences, at all
// shapes in turn. Each is replayed, brought into its normal form and written.
nlohmann::json sampled(const std::string& name, const model::Model& model, double seconds,
                       std::uint64_t seed) {
  Shapes shapes(model);
  Rng rng(seed);
  std::set<std::pair<std::size_t, Fingerprint>> distinct;
  std::uint64_t drawn = 0, documents = 0;
  const Stopwatch watch;
  double took = 0;
  for (; took < seconds; ++drawn) {
    const std::size_t layer = drawn % shapes.layers.size();
    const loopnest::Draft draft(shapes.survey);
    const loopnest::Variant* const variant =
        loopnest::drawn(draft, shapes.layers[layer], shapes.options, rng);
    if (variant != nullptr && !variant->is_original()) {
      ++documents;
      distinct.emplace(layer, variant->function);
    }
    took = watch.seconds();
  }
  return {{"kind", "documents"},
          {"case", name},
          {"shapes", shapes.layers.size()},
          {"seconds", took},
          {"drawn", drawn},
          {"documents", documents},
          {"distinct", distinct.size()},
          {"per_second", static_cast<double>(documents) / took},
          {"distinct_per_second", static_cast<double>(distinct.size()) / took}};
}

// All functions of so many moves at a layer of 64 channels.
nlohmann::json listed(const model::Model& model, int moves) {
  Shapes shapes(model);
  const loopnest::Layer& layer = shapes.layers.at(1);
  const Stopwatch watch;
  loopnest::Listing listing(shapes.survey, layer, moves);
  std::uint64_t functions = 0;
  while (listing.next()) ++functions;
  return {{"kind", "functions"},
          {"case", layer.name},
          {"moves", moves},
          {"functions", functions},
          {"seconds", watch.seconds()}};
}

nlohmann::json front(const std::string& name, const search::Knapsack& sack) {
  const Stopwatch watch;
  const auto points = search::front_of(sack);
  return {{"kind", "front"},
          {"case", name},
          {"sites", sack.sites.size()},
          {"options", sack.sites.front().size()},
          {"links", sack.links.size()},
          {"points", points.size()},
          {"seconds", watch.seconds()}};
}

}  // namespace

Status bench_rates(const LoopNestBenchOptions& options, nlohmann::json& out) {
  const auto add = [&](nlohmann::json row) { out["rows"].push_back(std::move(row)); };
  for (const char* name : kModels) {
    CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(name));
    add(sampled(name, loaded.model, options.quick ? 0.3 : 20, options.seed));
    if (options.quick) break;
  }
  CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(kModels[0]));
  for (int moves = 1; moves <= (options.quick ? 1 : 3); ++moves) add(listed(loaded.model, moves));
  add(front("ResNet-34", sack_of(36, 200)));
  add(front("DenseNet-161", sack_of(160, 60)));
  if (options.quick) return Ok{};
  add(front("ResNet-34, linked", linked_sack_of(36, 200, 2)));
  add(front("DenseNet-161, linked", linked_sack_of(160, 60, 2)));
  return Ok{};
}

std::string rates_text(const nlohmann::json& row) {
  const std::string name = row["case"];
  const double seconds = row["seconds"];
  if (row["kind"] == "documents") {
    return fmt::format("{:24} {:>7} documents in {:.1f} s: {:.0f}/s, {:.0f} distinct/s\n", name,
                       row["documents"].get<int>(), seconds, row["per_second"].get<double>(),
                       row["distinct_per_second"].get<double>());
  }
  if (row["kind"] == "functions") {
    return fmt::format("{:38} {:>7} functions of at most {} moves in {:.2f} s\n", name,
                       row["functions"].get<int>(), row["moves"].get<int>(), seconds);
  }
  return fmt::format("{:24} {} sites x {} options, {} links: {} points in {:.3f} s\n", name,
                     row["sites"].get<int>(), row["options"].get<int>(), row["links"].get<int>(),
                     row["points"].get<int>(), seconds);
}

}  // namespace cambium::bench
