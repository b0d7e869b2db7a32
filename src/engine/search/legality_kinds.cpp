#include "engine/search/legality_kinds.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "engine/search/evaluator.h"
#include "engine/search/evaluators.h"
#include "engine/search/space_list.h"
#include "study/record.h"

namespace cambium::engine {
namespace {

using nlohmann::json;
using Kind = std::pair<std::string, std::string>;  // space and kind

// The kinds of steps of a candidate, by site.
struct Steps {
  std::vector<std::pair<std::string, std::set<Kind>>> sites;
  std::set<Kind> kinds;  // of all sites
};

Steps steps_of(const store::StudyCandidate& row, const StepKinds& kinds_of) {
  Steps steps;
  const auto candidate = spaces::parse_candidate(row.document);
  if (!candidate.ok()) return steps;
  for (const spaces::Edit& edit : candidate->edits) {
    std::set<Kind> kinds;
    for (std::string& kind : kinds_of(edit)) kinds.emplace(edit.space, std::move(kind));
    for (const std::string& site : edit.sites) steps.sites.emplace_back(site, kinds);
    steps.kinds.insert(kinds.begin(), kinds.end());
  }
  return steps;
}

// A site may be a block; its layers are named after it.
bool is_at(std::string_view layer, std::string_view site) {
  return layer.starts_with(site) && (layer.size() == site.size() || layer[site.size()] == '.');
}

class Counting {
 public:
  Status count(store::StudyStore& study, const StepKinds& kinds_of) {
    CAMBIUM_REQUIRE(study.each_evaluation([&](const store::Evaluation& evaluation) {
      if (evaluation.key.evaluator == kLegality) add_verdict(evaluation);
      return true;
    }));
    Status read = Ok{};
    CAMBIUM_REQUIRE(study.each_candidate([&](const store::StudyCandidate& row) {
      if (!study::is_original(row)) read = add_candidate(study, row, steps_of(row, kinds_of));
      return read.ok();
    }));
    return read;
  }

  LegalityByKind done() && {
    LegalityByKind out;
    out.all = all_;
    for (auto& [kind, count] : kinds_) {
      std::tie(count.space, count.kind) = kind;
      out.kinds.push_back(std::move(count));
    }
    std::stable_sort(
        out.kinds.begin(), out.kinds.end(),
        [](const LegalityCount& a, const LegalityCount& b) { return a.candidates > b.candidates; });
    return out;
  }

 private:
  void add_verdict(const store::Evaluation& evaluation) {
    const auto legal = evaluation.values.find("legal");
    if (legal == evaluation.values.end()) return;
    double& lowest = verdicts_.emplace(evaluation.key.candidate, 1).first->second;
    lowest = std::min(lowest, legal->second.value);
  }

  template <class Add>
  void for_each(const std::set<Kind>& kinds, const Add& add) {
    add(all_);
    for (const Kind& kind : kinds) add(kinds_[kind]);
  }

  Status add_candidate(store::StudyStore& study, const store::StudyCandidate& row,
                       const Steps& steps) {
    const auto verdict = verdicts_.find(row.identity);
    const bool is_judged = verdict != verdicts_.end();
    for_each(steps.kinds, [&](LegalityCount& count) {
      ++count.candidates;
      count.judged += is_judged;
      count.illegal += is_judged && verdict->second < 0;
      count.undecided += is_judged && verdict->second == 0;
    });
    if (!is_judged) return Ok{};
    CAMBIUM_TRY(const auto layers, study.artifact(row.identity, kFisherLayers));
    if (layers) add_layers(steps, layers->bytes);
    return Ok{};
  }

  void add_layers(const Steps& steps, const std::vector<std::byte>& bytes) {
    const auto found =
        parse_json(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    if (!found.ok() || !found->is_object()) return;
    for (const json& layer : found->value("layers", json::array())) {
      const bool counts = layer.is_object() && layer.value("is_changed", json()) == true &&
                          layer.value("name", json()).is_string() &&
                          layer.value("ratio", json()).is_number();
      if (!counts) continue;
      const auto name = layer["name"].get<std::string>();
      const bool has_fallen = layer["ratio"].get<double>() < 1;
      std::set<Kind> kinds;
      for (const auto& [site, of_site] : steps.sites) {
        if (is_at(name, site)) kinds.insert(of_site.begin(), of_site.end());
      }
      for_each(kinds, [&](LegalityCount& count) {
        ++count.layers;
        count.fallen += has_fallen;
      });
    }
  }

  std::unordered_map<Fingerprint, double> verdicts_;  // the lowest of each candidate
  LegalityCount all_;
  std::map<Kind, LegalityCount> kinds_;
};

json json_of(const LegalityCount& count) {
  return {{"candidates", count.candidates}, {"judged", count.judged}, {"illegal", count.illegal},
          {"undecided", count.undecided},   {"layers", count.layers}, {"fallen", count.fallen}};
}

}  // namespace

StepKinds known_step_kinds() {
  return [](const spaces::Edit& edit) -> std::vector<std::string> {
    const auto space = space_kind(edit.space);
    if (!space.ok() || space->step_kinds == nullptr) return {};
    return space->step_kinds(edit.document);
  };
}

Result<LegalityByKind> legality_by_kind(store::StudyStore& study, const StepKinds& kinds) {
  Counting counting;
  CAMBIUM_REQUIRE(counting.count(study, kinds));
  return std::move(counting).done();
}

Result<LegalityByKind> legality_by_kind(const std::string& study) {
  CAMBIUM_TRY(store::StudyStore store, store::StudyStore::open(study, store::Mode::Read));
  return legality_by_kind(store, known_step_kinds());
}

json to_json(const LegalityByKind& found) {
  json out = {{"all", json_of(found.all)}, {"kinds", json::array()}};
  for (const LegalityCount& count : found.kinds) {
    json row = json_of(count);
    row["space"] = count.space;
    row["kind"] = count.kind;
    out["kinds"].push_back(std::move(row));
  }
  return out;
}

}  // namespace cambium::engine
