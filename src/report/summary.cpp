#include "report/summary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/utf8.h"

namespace cambium::report {
namespace {

constexpr std::size_t kStages = 32;         // bits of an entry; what comes later counts in the last
constexpr std::size_t kLongestTitle = 200;  // on every page: one of them may show the whole

std::string cut(const std::string& text) {
  if (text.size() <= kLongestTitle) return text;
  return std::string(beginning(text, kLongestTitle)) + "…";
}

// The original is the candidate without edits.
bool has_no_edits(const std::string& document) {
  if (document.size() > 1000) return false;  // it holds a fingerprint and little else
  const auto json = parse_json(document);
  return json.ok() && json->is_object() && json->contains("edits") && (*json)["edits"].is_array() &&
         (*json)["edits"].empty();
}

class Reader {
 public:
  Reader(Summary& summary, const std::optional<Fingerprint>& machine)
      : summary_(summary), machine_(machine) {
    name("");
  }

  Status read(store::StudyStore& study) {
    CAMBIUM_TRY(summary_.head, study.head());
    if (summary_.head) {
      for (std::string* text : {&summary_.head->model, &summary_.head->data}) *text = cut(*text);
    }
    CAMBIUM_REQUIRE(study.each_candidate([this](const store::StudyCandidate& candidate) {
      add(candidate);
      return true;
    }));
    if (machine_) {
      summary_.latency_machine = *machine_;
    } else {
      CAMBIUM_REQUIRE(choose_machine(study));
    }
    folds_.resize(summary_.entries.size());
    CAMBIUM_REQUIRE(study.each_evaluation([this](const store::Evaluation& evaluation) {
      add(evaluation);
      return true;
    }));
    CAMBIUM_TRY(summary_.rejections, study.rejections());
    finish();
    return Ok{};
  }

 private:
  using StageKey = std::tuple<std::string, double>;

  std::uint32_t name(const std::string& text) {
    const auto [at, added] =
        names_.emplace(text, static_cast<std::uint32_t>(summary_.names.size()));
    if (added) summary_.names.push_back(text);
    return at->second;
  }

  void add(const store::StudyCandidate& candidate) {
    const std::size_t index = summary_.entries.size();
    index_.emplace(candidate.identity, index);
    Entry& entry = summary_.entries.emplace_back();
    entry.identity = candidate.identity;
    entry.title = cut(candidate.title);
    entry.ticket = candidate.ticket;
    entry.space = name(candidate.space);
    entry.strategy = name(candidate.strategy);
    entry.search = name(candidate.search);
    if (!summary_.original && has_no_edits(candidate.document)) {
      summary_.original = index;
      return;  // no strategy proposed it
    }
    ++searches_[{candidate.search, candidate.strategy, candidate.seed}];
  }

  Status choose_machine(store::StudyStore& study) {
    std::map<Fingerprint, std::int64_t> counts;
    CAMBIUM_REQUIRE(study.each_evaluation([&counts](const store::Evaluation& evaluation) {
      const auto latency = evaluation.values.find("latency");
      if (latency != evaluation.values.end() && !latency->second.is_estimate)
        ++counts[evaluation.key.machine];
      return true;
    }));
    std::int64_t most = 0;
    for (const auto& [machine, count] : counts) {
      if (count <= most) continue;
      most = count;
      summary_.latency_machine = machine;
    }
    return Ok{};
  }

  std::size_t stage(const store::EvaluationKey& key) {
    const auto at = stages_.find({key.evaluator, key.fidelity});
    if (at != stages_.end()) return at->second;
    std::size_t index = summary_.stages.size();
    if (index < kStages) {
      summary_.stages.push_back({key.evaluator, key.fidelity});
    } else {
      index = kStages - 1;
      summary_.stages[index] = {"further stages"};
    }
    stages_.emplace(StageKey{key.evaluator, key.fidelity}, index);
    return index;
  }

  void add(const store::Evaluation& evaluation) {
    const auto at = index_.find(evaluation.key.candidate);
    if (at == index_.end()) return;
    Entry& entry = summary_.entries[at->second];
    ++summary_.evaluations;
    summary_.seconds += evaluation.seconds;
    ++places_[{evaluation.key.machine, evaluation.host}];
    if (!evaluation.commit.empty()) commits_.insert(evaluation.commit);
    const std::size_t s = stage(evaluation.key);
    const std::uint32_t bit = std::uint32_t{1} << s;
    const std::uint32_t met = entry.done | entry.refused | entry.pending;
    if (met == 0) ++summary_.evaluated;
    if ((met & bit) == 0) summary_.stages[s].depth += std::popcount(met);
    switch (evaluation.state) {
      case store::EvaluationState::Done: entry.done |= bit; break;
      case store::EvaluationState::Refused:
        entry.refused |= bit;
        entry.reason = name(evaluation.reason);
        break;
      case store::EvaluationState::Pending: entry.pending |= bit; break;
    }
    const std::uint64_t group =
        fingerprint_of(evaluation.key.evaluator, evaluation.key.version, evaluation.key.options)
            .low;
    for (const auto& [metric_name, value] : evaluation.values) {
      const auto metric = metric_named(metric_name);
      if (!metric || !std::isfinite(value.value)) continue;
      if (*metric == Metric::Latency && !value.is_estimate &&
          evaluation.key.machine != summary_.latency_machine)
        continue;
      fold(at->second, *metric, value, evaluation.key.fidelity, group);
    }
  }

  void fold(std::size_t index, Metric metric, const store::StudyValue& value, double fidelity,
            std::uint64_t group) {
    std::optional<Known>& known = summary_.entries[index].known[static_cast<std::size_t>(metric)];
    Fold& fold = folds_[index][static_cast<std::size_t>(metric)];
    const auto worth = [](bool is_estimate, double at) { return std::tuple(!is_estimate, at); };
    if (known && worth(known->is_estimate, known->fidelity) > worth(value.is_estimate, fidelity))
      return;
    const bool another_seed = known && fold.group == group && known->fidelity == fidelity &&
                              known->is_estimate == value.is_estimate;
    if (another_seed) {
      // Welford: the mean and the sum of squared distances from it, one value at a time.
      const auto seeds = static_cast<double>(++known->seeds);
      const double before = value.value - known->value;
      known->value += before / seeds;
      fold.squares += before * (value.value - known->value);
      const double deviation = std::sqrt(fold.squares / (seeds - 1));
      known->spread = known->value != 0 ? deviation / std::abs(known->value) : 0;
    } else {
      known = Known{value.value, value.spread, fidelity, 1, value.is_estimate};
      fold = {group, 0};
    }
    improve(index, metric, *known);
  }

  void improve(std::size_t index, Metric metric, const Known& known) {
    if (known.is_estimate || index == summary_.original) return;
    auto& best = best_[static_cast<std::size_t>(metric)];
    if (best && !better(metric, known.value, *best)) return;
    best = known.value;
    summary_.progress.push_back({metric, summary_.evaluated, summary_.seconds, known.value, index});
  }

  void finish() {
    for (Entry& entry : summary_.entries) {
      // Refused with one seed and done with another is done; a refusal ends the waiting.
      entry.refused &= ~entry.done;
      entry.pending &= ~(entry.done | entry.refused);
      for (std::size_t s = 0; s < summary_.stages.size(); ++s) {
        const std::uint32_t bit = std::uint32_t{1} << s;
        summary_.stages[s].done += (entry.done & bit) != 0 ? 1 : 0;
        summary_.stages[s].refused += (entry.refused & bit) != 0 ? 1 : 0;
        summary_.stages[s].pending += (entry.pending & bit) != 0 ? 1 : 0;
      }
    }
    for (std::size_t s = 0; s < summary_.stages.size(); ++s) {
      Stage& one = summary_.stages[s];
      one.depth /= static_cast<double>(std::max<std::int64_t>(1, one.entered()));
      summary_.funnel.push_back(s);
    }
    std::stable_sort(summary_.funnel.begin(), summary_.funnel.end(),
                     [this](std::size_t a, std::size_t b) {
                       return summary_.stages[a].depth < summary_.stages[b].depth;
                     });
    for (const auto& [place, count] : places_)
      summary_.places.push_back({place.first, place.second, count});
    std::stable_sort(summary_.places.begin(), summary_.places.end(),
                     [](const Place& a, const Place& b) { return a.evaluations > b.evaluations; });
    for (const auto& [run, count] : searches_)
      summary_.searches.push_back({std::get<0>(run), std::get<1>(run), std::get<2>(run), count});
    summary_.commits.assign(commits_.begin(), commits_.end());
  }

  Summary& summary_;
  std::optional<Fingerprint> machine_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::unordered_map<Fingerprint, std::size_t> index_;
  struct Fold {
    std::uint64_t group = 0;  // what made the value of the entry
    double squares = 0;       // of the distances of its seeds from their mean
  };
  std::vector<std::array<Fold, kMetrics>> folds_;
  std::map<StageKey, std::size_t> stages_;
  std::map<std::pair<Fingerprint, std::string>, std::int64_t> places_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::int64_t> searches_;
  std::set<std::string> commits_;
  std::array<std::optional<double>, kMetrics> best_;
};

}  // namespace

Result<Summary> read_summary(store::StudyStore& study, const std::optional<Fingerprint>& machine) {
  Summary summary;
  CAMBIUM_REQUIRE(Reader(summary, machine).read(study));
  CAMBIUM_TRY(const std::vector<std::string> searches, study.searches());
  for (const std::string& name : searches) {
    CAMBIUM_TRY(std::optional<std::string> options, study.options(name));
    if (options) summary.options.emplace(name, std::move(*options));
  }
  return summary;
}

std::string fidelity_text(const std::string& evaluator, double fidelity) {
  if (fidelity == 0) return "";
  const std::string number = plain_number(fidelity);
  if (evaluator == "accuracy") return number + (fidelity == 1 ? " epoch" : " epochs");
  if (evaluator == "latency") return number + (fidelity == 1 ? " trial" : " trials");
  return "fidelity " + number;
}

std::string Stage::label() const {
  const std::string at = fidelity_text(evaluator, fidelity);
  return at.empty() ? evaluator : evaluator + ", " + at;
}

std::string status_of(const Summary& summary, std::size_t index) {
  const Entry& entry = summary.entries[index];
  if (index == summary.original) return "original";
  if (entry.refused != 0) return "refused: " + summary.names[entry.reason];
  for (std::size_t s = 0; s < summary.stages.size(); ++s)
    if ((entry.pending >> s & 1U) != 0) return "pending: " + summary.stages[s].evaluator;
  for (std::size_t i = summary.funnel.size(); i-- > 0;) {
    const std::size_t s = summary.funnel[i];
    if ((entry.done >> s & 1U) != 0) return summary.stages[s].label();
  }
  return "proposed";
}

std::string short_name(Fingerprint identity) {
  return identity.text().substr(0, 16);
}

}  // namespace cambium::report
