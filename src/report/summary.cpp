#include "report/summary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/values.h"
#include "study/census.h"

namespace cambium::report {
namespace {

constexpr std::size_t kStages = 32;         // bits of an entry; what comes later counts in the last
constexpr std::size_t kLongestTitle = 200;  // on every page: one of them may show the whole

std::string cut(const std::string& text) {
  if (text.size() <= kLongestTitle) return text;
  return std::string(beginning(text, kLongestTitle)) + "…";
}

class Reader {
 public:
  Reader(Summary& summary, const SummaryOptions& options) : summary_(summary), options_(options) {
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
    CAMBIUM_TRY(const study::Census census, study::Census::of(study, options_.machine));
    summary_.latency_machine = census.machine();
    records_.resize(summary_.entries.size());
    CAMBIUM_REQUIRE(study.each_evaluation([&](const store::Evaluation& evaluation) {
      add(evaluation, census);
      return true;
    }));
    CAMBIUM_TRY(summary_.rejections, study.rejections());
    for (std::size_t i = 0; i < records_.size(); ++i) {
      Entry& entry = summary_.entries[i];
      entry.takes_part = records_[i].has_passed(options_.goals, census);
      summary_.longest = std::max(summary_.longest, study::epochs_of(entry.scores));
    }
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
    if (!summary_.original && study::is_original(candidate)) {
      summary_.original = index;
      return;  // no strategy proposed it
    }
    ++searches_[{candidate.search, candidate.strategy, candidate.seed}];
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

  void add(const store::Evaluation& evaluation, const study::Census& census) {
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
    for (const study::Metric metric : records_[at->second].add(evaluation, census)) {
      const study::Value& known = *records_[at->second].scores().at(metric);
      entry.scores.set(metric, known);
      if (is_shown(metric)) improve(at->second, metric, known);
    }
  }

  void improve(std::size_t index, study::Metric metric, const study::Value& known) {
    if (known.is_estimate || index == summary_.original) return;
    auto& best = best_[static_cast<std::size_t>(metric)];
    if (best && !is_better(metric, known.value, *best)) return;
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
  const SummaryOptions& options_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::unordered_map<Fingerprint, std::size_t> index_;
  std::vector<study::Record> records_;  // by entry
  std::map<StageKey, std::size_t> stages_;
  std::map<std::pair<Fingerprint, std::string>, std::int64_t> places_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::int64_t> searches_;
  std::set<std::string> commits_;
  std::array<std::optional<double>, study::kMetrics> best_;
};

}  // namespace

Result<Summary> read_summary(store::StudyStore& study, const SummaryOptions& options) {
  Summary summary;
  summary.evaluators = options.evaluators;
  CAMBIUM_REQUIRE(Reader(summary, options).read(study));
  CAMBIUM_TRY(const std::vector<std::string> searches, study.searches());
  for (const std::string& name : searches) {
    CAMBIUM_TRY(std::optional<std::string> kept, study.options(name));
    if (kept) summary.options.emplace(name, std::move(*kept));
  }
  return summary;
}

bool Summary::is_brief(std::size_t entry) const {
  const auto epochs = study::epochs_of(entries[entry].scores);
  return epochs && epochs < longest;
}

std::string fidelity_text(const Summary& summary, const std::string& evaluator, double fidelity) {
  if (fidelity == 0) return "";
  const std::string number = plain_number(fidelity);
  const auto found = summary.evaluators.find(evaluator);
  if (found == summary.evaluators.end() || found->second.empty()) return "fidelity " + number;
  std::string unit = found->second;
  if (fidelity == 1 && unit.ends_with('s')) unit.pop_back();
  return number + " " + unit;
}

std::string label_of(const Summary& summary, const Stage& stage) {
  const std::string at = fidelity_text(summary, stage.evaluator, stage.fidelity);
  return at.empty() ? stage.evaluator : stage.evaluator + ", " + at;
}

std::string status_of(const Summary& summary, std::size_t index) {
  const Entry& entry = summary.entries[index];
  if (index == summary.original) return "original";
  if (entry.refused != 0) return "refused: " + summary.names[entry.reason];
  for (std::size_t s = 0; s < summary.stages.size(); ++s)
    if ((entry.pending >> s & 1U) != 0) return "pending: " + summary.stages[s].evaluator;
  for (std::size_t i = summary.funnel.size(); i-- > 0;) {
    const std::size_t s = summary.funnel[i];
    if ((entry.done >> s & 1U) != 0) return label_of(summary, summary.stages[s]);
  }
  return "proposed";
}

}  // namespace cambium::report
