// How fast a space proposes edits of a model, whatever space it is: sampled by seed, or by descents
// of its tree; how many of them mean something else, and how long their cost bounds take.
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/quantile.h"
#include "engine/search/spaces.h"
#include "model/fingerprint.h"
#include "stopwatch.h"
#include "synth/parts.h"

namespace cambium::bench {
namespace {

std::optional<spaces::Edits> proposal(spaces::Space& space, std::uint64_t seed) {
  if (auto* samples = space.samples()) {
    auto edits = samples->sample(seed);
    return edits.ok() ? std::optional(std::move(edits).value()) : std::nullopt;
  }
  auto* tree = space.tree();
  Rng rng(seed);
  auto descent = tree->descend(tree->root(), rng);
  return descent && descent->is_wanted() ? std::optional(std::move(descent->edits)) : std::nullopt;
}

}  // namespace

Status bench_proposals(const SynthBenchOptions& options, nlohmann::json& out) {
  CAMBIUM_TRY(const spaces::SpaceKind kind, engine::space_kind(options.space));
  const std::string targets = options.targets.empty() ? std::string(kind.targets) : options.targets;
  CAMBIUM_TRY(const model::Model base, engine::load_base(options.model, {}));
  CAMBIUM_TRY(const engine::Spaces made, engine::make_spaces(base, {{options.space, targets, {}}}));
  spaces::Space& space = *made.front();
  if (space.samples() == nullptr && space.tree() == nullptr) {
    return Rejection(Reason::NoFacet, "proposals", "samples edits or has a tree");
  }
  const Fingerprint structure = model::structure_of(base);
  const double any = std::numeric_limits<double>::infinity();
  const spaces::Costs limits{any, any, any, any};
  const int seeds = options.quick ? 50 : 1000;
  std::unordered_set<Fingerprint> documents, meanings;
  std::vector<double> bound_us;
  double propose_seconds = 0;
  int proposed = 0;
  for (int i = 0; i < seeds; ++i) {
    const Stopwatch proposing;
    const auto edits =
        proposal(space, Rng(options.seed).split(static_cast<std::uint64_t>(i)).next_u64());
    propose_seconds += proposing.seconds();
    if (!edits) continue;
    ++proposed;
    const spaces::Candidate candidate{structure, *edits, std::nullopt};
    documents.insert(spaces::identity_of(candidate));
    meanings.insert(spaces::meaning_of(candidate, {&space}));
    const Stopwatch bounding;
    (void)space.cost_bound(*edits, limits);
    bound_us.push_back(1e6 * bounding.seconds());
  }
  out["rows"].push_back({{"name", fmt::format("{} on {}", options.space, options.model)},
                         {"space", options.space},
                         {"model", options.model},
                         {"targets", targets},
                         {"seeds", seeds},
                         {"proposed", proposed},
                         {"documents", documents.size()},
                         {"distinct", meanings.size()},
                         {"seconds", propose_seconds},
                         {"proposals_per_second", proposed / std::max(propose_seconds, 1e-9)},
                         {"bound_median_us", median(bound_us)}});
  return Ok{};
}

std::string proposals_text(const nlohmann::json& row) {
  return fmt::format(
      "{}: {} of {} seeds propose, {} documents, {} functions; {:.0f} proposals a second, cost "
      "bounds in {:.0f} us\n",
      row["name"].get<std::string>(), row["proposed"].get<int>(), row["seeds"].get<int>(),
      row["documents"].get<std::int64_t>(), row["distinct"].get<std::int64_t>(),
      row["proposals_per_second"].get<double>(), row["bound_median_us"].get<double>());
}

}  // namespace cambium::bench
