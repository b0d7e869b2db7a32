#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/fingerprint.h"
#include "model/target.h"
#include "search/parts.h"
#include "search/setting.h"
#include "spaces/coordinate/search/space.h"
#include "stopwatch.h"

namespace cambium::bench {

namespace coordinate = spaces::coordinate;
using coordinate::synthesis::RuleSet;

namespace {

struct Rules {
  const char* name;
  RuleSet set;
};

// Samples as a search draws them, until so many operators have come.
Result<nlohmann::json> sampled(const SearchBenchOptions& options, const model::Model& base,
                               const Rules& rules) {
  CAMBIUM_TRY(const auto targets, model::select(base, options.targets));
  coordinate::SpaceOptions made;
  made.rules = rules.set;
  const Stopwatch stopwatch;
  CAMBIUM_TRY(const auto space, coordinate::CoordinateSpace::make(base, targets, made));
  const coordinate::Family& family = space->families().front();
  const Fingerprint structure = model::structure_of(base);
  std::unordered_set<std::string> documents;
  std::unordered_set<Fingerprint> meanings;
  const std::int64_t wanted = options.quick ? 50 : options.samples;
  std::int64_t drawn = 0, refused = 0;
  for (std::uint64_t seed = 0; drawn < wanted && refused < wanted; ++seed) {
    const auto edits = space->samples()->sample(Rng(options.seed).split(seed).next_u64());
    if (!edits.ok() || edits->front().sites.at(0) != family.places.front().name) {
      ++refused;
      continue;
    }
    ++drawn;
    documents.insert(edits->front().document);
    meanings.insert(spaces::meaning_of({structure, *edits, std::nullopt}, {space.get()}));
  }
  const double seconds = stopwatch.seconds();
  // Of those that a search would evaluate: it proposes no document twice.
  const auto count = static_cast<double>(std::max<std::size_t>(documents.size(), 1));
  return nlohmann::json{{"name", rules.name},
                        {"samples", drawn},
                        {"refused", refused},
                        {"documents", documents.size()},
                        {"distinct", meanings.size()},
                        {"duplicate_share", 1 - static_cast<double>(meanings.size()) / count},
                        {"seconds", seconds},
                        {"distinct_per_second", static_cast<double>(meanings.size()) / seconds}};
}

}  // namespace

Status bench_canonical(const SearchBenchOptions& options, nlohmann::json& out) {
  CAMBIUM_TRY(const model::Model base, engine::load_base(options.model, {}));
  for (const Rules& rules : {Rules{"all rules", RuleSet()}, Rules{"exact rules", RuleSet::exact()},
                             Rules{"no rules", RuleSet::none()}}) {
    CAMBIUM_TRY(nlohmann::json row, sampled(options, base, rules));
    out["rows"].push_back(std::move(row));
  }
  return Ok{};
}

std::string canonical_text(const nlohmann::json& row) {
  return fmt::format(
      "{:12} {} samples: {} operators, {} functions, {:.1f} % duplicates, {:.0f} functions a "
      "second\n",
      row["name"].get<std::string>(), row["samples"].get<std::int64_t>(),
      row["documents"].get<std::int64_t>(), row["distinct"].get<std::int64_t>(),
      100 * row["duplicate_share"].get<double>(), row["distinct_per_second"].get<double>());
}

}  // namespace cambium::bench
