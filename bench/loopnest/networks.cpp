// What searches have found, from their studies: a row for each network that was fully trained, how
// often each document stands in it, and how many candidates Fisher Potential refused, by kind of
// step.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fingerprint.h"
#include "engine/search/evaluators.h"
#include "engine/search/kept.h"
#include "engine/search/legality_kinds.h"
#include "engine/search/setup.h"
#include "engine/search/spaces.h"
#include "engine/search/studies.h"
#include "loopnest/parts.h"
#include "spaces/candidate.h"
#include "spaces/space.h"
#include "store/study_store.h"
#include "study/census.h"
#include "study/record.h"
#include "study/scores.h"

namespace cambium::bench {
namespace {

using store::Evaluation;
using Values = std::map<std::string, store::StudyValue>;

// The evaluations that say what a candidate is worth: of the highest fidelity, here and by the
// version that counts.
Values final_values(const std::vector<Evaluation>& all, const std::string& evaluator,
                    const char* value, const study::Census& census) {
  std::vector<Evaluation> finals;
  std::uint32_t rank = 0;
  for (const Evaluation& evaluation : all) {
    if (evaluation.key.evaluator != evaluator || evaluation.values.count(value) == 0) continue;
    if (census.is_elsewhere(evaluation.key)) continue;
    const auto place = census.place_of(evaluation.key);
    if (!place || place->rank < rank) continue;
    if (place->rank > rank) finals.clear();
    rank = place->rank;
    finals.push_back(evaluation);
  }
  return study::joined(finals);
}

nlohmann::json json_of(const store::StudyValue& value) {
  return {{"value", value.value}, {"spread", value.spread}, {"samples", value.samples}};
}

class StudyRows {
 public:
  StudyRows(std::string method, std::string path, nlohmann::json& rows)
      : method_(std::move(method)), path_(std::move(path)), rows_(rows) {}

  Status run() {
    CAMBIUM_TRY(const engine::SearchSetup setup, engine::setup_of(path_));
    network_ = setup.model;
    CAMBIUM_TRY(base_, engine::load_base(setup.model, setup.bind));
    CAMBIUM_TRY(spaces_, engine::make_spaces(base_, setup.spaces));
    CAMBIUM_TRY(store::StudyStore study, store::StudyStore::open(path_, store::Mode::Read));
    CAMBIUM_TRY(const study::Census census, study::Census::of(study));
    if (const auto best = engine::best_of_study(path_); best.ok()) best_ = *best;
    std::vector<store::StudyCandidate> candidates;
    CAMBIUM_REQUIRE(study.each_candidate([&](const store::StudyCandidate& candidate) {
      candidates.push_back(candidate);
      return true;
    }));
    for (const store::StudyCandidate& candidate : candidates) {
      CAMBIUM_TRY(const std::vector<Evaluation> all, study.evaluations(candidate.identity));
      CAMBIUM_REQUIRE(add(candidate, all, census));
    }
    CAMBIUM_TRY(const engine::LegalityByKind legality, engine::legality_by_kind(path_));
    if (legality.all.judged > 0) add_legality("all", legality.all);
    for (const engine::LegalityCount& count : legality.kinds) add_legality(count.kind, count);
    return Ok{};
  }

 private:
  Status add(const store::StudyCandidate& candidate, const std::vector<Evaluation>& all,
             const study::Census& census) {
    const Values trained = final_values(all, engine::kAccuracy, "test_accuracy", census);
    if (trained.empty()) return Ok{};
    CAMBIUM_TRY(const spaces::Candidate parsed, spaces::parse_candidate(candidate.document));
    nlohmann::json row = {{"kind", "network"},
                          {"case", network_},
                          {"method", method_},
                          {"candidate", candidate.identity.text()},
                          {"title", candidate.title},
                          {"original", study::is_original(candidate)},
                          {"best", candidate.identity.text() == best_},
                          {"edits", parsed.edits.size()},
                          {"values", nlohmann::json::object()}};
    nlohmann::json& values = row["values"];
    for (const char* name : {"accuracy", "test_accuracy"}) {
      if (trained.count(name) > 0) values[name] = json_of(trained.at(name));
    }
    const Values timed = final_values(all, engine::kLatency, "latency", census);
    for (const char* name : {"latency", "speedup"}) {
      if (timed.count(name) > 0) values[name] = json_of(timed.at(name));
    }
    const Values counted = final_values(all, study::kCostEvaluator, "macs", census);
    for (const char* name : {"macs", "parameters"}) {
      if (counted.count(name) > 0) values[name] = json_of(counted.at(name));
    }
    rows_.push_back(std::move(row));
    add_documents(candidate, parsed);
    return Ok{};
  }

  // Convolutions by what stands in their place.
  void add_documents(const store::StudyCandidate& candidate, const spaces::Candidate& parsed) {
    const auto about = spaces::describe(base_, parsed, engine::pointers(spaces_));
    std::map<std::string, std::size_t> sites;
    for (std::size_t i = 0; i < std::min(about.size(), parsed.edits.size()); ++i) {
      const std::string& title = about[i].title;
      sites[title.substr(0, title.rfind(" at "))] += parsed.edits[i].sites.size();
    }
    for (const auto& [document, count] : sites) {
      rows_.push_back({{"kind", "documents"},
                       {"case", network_},
                       {"method", method_},
                       {"candidate", candidate.identity.text()},
                       {"document", document},
                       {"sites", count}});
    }
  }

  void add_legality(const std::string& kind, const engine::LegalityCount& count) {
    rows_.push_back({{"kind", "legality"},
                     {"case", network_},
                     {"method", method_},
                     {"step", kind},
                     {"judged", count.judged},
                     {"illegal", count.illegal},
                     {"undecided", count.undecided},
                     {"layers", count.layers},
                     {"fallen", count.fallen}});
  }

  std::string method_, path_, network_, best_;
  nlohmann::json& rows_;
  model::Model base_;
  engine::Spaces spaces_;
};

}  // namespace

Status bench_networks(const LoopNestBenchOptions& options, nlohmann::json& out) {
  if (options.studies.empty() && !options.parts.empty()) {
    return Rejection(Reason::BadOption, "--study",
                     "the part `networks` reads studies; give METHOD=FILE");
  }
  for (const std::string& word : options.studies) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0) {
      return Rejection(Reason::BadOption, "--study", "'" + word + "'; expected METHOD=FILE");
    }
    CAMBIUM_REQUIRE(StudyRows(word.substr(0, at), word.substr(at + 1), out["rows"]).run());
  }
  return Ok{};
}

namespace {

std::string value_text(const nlohmann::json& row, const char* name, double scale,
                       const char* unit) {
  const nlohmann::json& values = row["values"];
  if (!values.contains(name)) return "";
  const double value = values[name]["value"], spread = values[name]["spread"];
  return fmt::format(" {} {:.2f} +-{:.2f}{}", name, scale * value, scale * value * spread, unit);
}

}  // namespace

std::string networks_text(const nlohmann::json& row) {
  const std::string head =
      fmt::format("{:22} {:20}", row["case"].get<std::string>(), row["method"].get<std::string>());
  if (row["kind"] == "documents") {
    return fmt::format("{} {} {} at {} convolutions\n", head,
                       study::short_id(*Fingerprint::parse(row["candidate"].get<std::string>())),
                       row["document"].get<std::string>(), row["sites"].get<int>());
  }
  if (row["kind"] == "legality") {
    return fmt::format("{} {:16} {:6} judged, {} illegal, {} undecided; {} of {} layers fell\n",
                       head, row["step"].get<std::string>(), row["judged"].get<int>(),
                       row["illegal"].get<int>(), row["undecided"].get<int>(),
                       row["fallen"].get<int>(), row["layers"].get<int>());
  }
  const std::string name =
      row["original"].get<bool>()
          ? "original"
          : study::short_id(*Fingerprint::parse(row["candidate"].get<std::string>()));
  return fmt::format(
      "{}{} {:8}{}{}{}{}{}{}\n", head, row["best"].get<bool>() ? " *" : "  ", name,
      value_text(row, "accuracy", 100, " %"), value_text(row, "test_accuracy", 100, " %"),
      value_text(row, "latency", 1e3, " ms"), value_text(row, "speedup", 1, "x"),
      value_text(row, "macs", 1e-6, " M"), value_text(row, "parameters", 1e-6, " M"));
}

}  // namespace cambium::bench
