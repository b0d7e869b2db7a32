#include "search/passage.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "model/cost.h"
#include "model/recognize/pass.h"

namespace cambium::search {
namespace {

store::EvaluationKey cost_key(Fingerprint candidate) {
  const Stage stage = cost_stage();
  return {
      candidate, stage.evaluator, kCostVersion, stage.options, stage.fidelity, stage.seeds.front(),
      {}};
}

store::StudyValue exact(std::int64_t count) {
  return {static_cast<double>(count), 0, 1, false};
}

// What the model says as it is.
std::map<std::string, store::StudyValue> plain_values(const model::Cost& cost) {
  return {{"parameters", exact(cost.params)},
          {"memory", exact(cost.weight_bytes + cost.peak_bytes)}};
}

std::map<std::string, store::StudyValue> cost_values(const model::Model& model,
                                                     const model::Cost& cost) {
  const model::Pass pass = model::pass_of(model);
  auto values = plain_values(cost);
  // An operator may need fewer than it was written with: factors that meet no input first are
  // multiplied beforehand.
  values["macs"] = exact(std::min(cost.macs, pass.macs));
  values["activations"] = exact(pass.activation_bytes);
  return values;
}

constexpr const char* kTexts[] = {"equation.txt", "loops.txt", "drawing.dot"};

// What people want to see of a candidate, for tables and reports.
struct Drawn {
  std::string title;
  std::vector<store::Artifact> artifacts;
};

Drawn drawn(const Passages::Context& context, const spaces::Candidate& candidate) {
  Drawn all;
  std::string texts[std::size(kTexts)];
  for (const spaces::Edit& edit : candidate.edits) {
    for (const spaces::Space* space : context.spaces) {
      if (space->name() != edit.space) continue;
      const spaces::Description about = space->describe(*context.base, edit);
      if (!all.title.empty()) all.title += "; ";
      all.title += about.title;
      texts[0] += about.equation;
      texts[1] += about.loops;
      // One drawing is one file; the first edit's stands for all.
      if (texts[2].empty()) texts[2] = about.drawing;
    }
  }
  for (std::size_t i = 0; i < std::size(kTexts); ++i) {
    const auto bytes = std::as_bytes(std::span(texts[i]));
    if (!texts[i].empty()) all.artifacts.push_back({kTexts[i], {bytes.begin(), bytes.end()}});
  }
  return all;
}

}  // namespace

Stage cost_stage() {
  Stage stage;
  stage.evaluator = kCostEvaluator;
  stage.seeds = {0};
  return stage;
}

store::StudyValue joined(std::vector<std::pair<std::uint64_t, store::StudyValue>> by_seed) {
  std::stable_sort(by_seed.begin(), by_seed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  store::StudyValue all = by_seed.front().second;
  if (by_seed.size() == 1) return all;
  const auto count = static_cast<double>(by_seed.size());
  double sum = 0;
  all.samples = 0;
  for (const auto& [seed, value] : by_seed) {
    sum += value.value;
    all.samples += value.samples;
    all.is_estimate |= value.is_estimate;
  }
  all.value = sum / count;
  double squares = 0;
  for (const auto& [seed, value] : by_seed) {
    squares += (value.value - all.value) * (value.value - all.value);
  }
  all.spread = all.value != 0 ? std::sqrt(squares / (count - 1)) / std::abs(all.value) : 0;
  return all;
}

std::map<std::string, store::StudyValue> joined(const std::vector<store::Evaluation>& evaluations) {
  std::map<std::string, std::vector<std::pair<std::uint64_t, store::StudyValue>>> by_name;
  for (const store::Evaluation& evaluation : evaluations) {
    for (const auto& [name, value] : evaluation.values) {
      by_name[name].emplace_back(evaluation.key.seed, value);
    }
  }
  std::map<std::string, store::StudyValue> all;
  for (auto& [name, values] : by_name) all.emplace(name, joined(std::move(values)));
  return all;
}

void add_scores(const std::map<std::string, store::StudyValue>& values, Scores& scores) {
  for (const auto& [name, value] : values) {
    if (const auto metric = metric_named(name)) {
      scores.set(*metric, {value.value, value.spread, value.is_estimate});
    }
  }
}

Passages::Passages(Context context, std::vector<Stage> stages, Yardstick yardstick)
    : context_(std::move(context)), stages_(std::move(stages)), yardstick_(std::move(yardstick)) {
  counts_.push_back({kCostEvaluator});
  for (const Stage& stage : stages_) counts_.push_back({stage.evaluator});
}

std::vector<std::int64_t> Passages::left_by_stage() const {
  std::vector<std::int64_t> left(stages_.size());
  for (const auto& [id, passage] : passages_) {
    if (passage.is_over) continue;
    const std::size_t at = passage.values.size();
    for (std::size_t i = at; i < stages_.size(); ++i) {
      left[i] += static_cast<std::int64_t>(stages_[i].seeds.size());
    }
    left[at] -= static_cast<std::int64_t>(passage.answers.size());
  }
  return left;
}

std::int64_t Passages::left() const {
  const std::vector<std::int64_t> left = left_by_stage();
  return std::accumulate(left.begin(), left.end(), std::int64_t{0});
}

Status Passages::begin(std::int64_t id, spaces::Candidate candidate) {
  const auto [place, is_new] = passages_.try_emplace(id);
  CAMBIUM_CHECK(is_new, "a passage of that number is under way");
  Passage& passage = place->second;
  passage.identity = spaces::identity_of(candidate);
  passage.document = spaces::to_json(candidate);
  passage.candidate = std::move(candidate);
  CAMBIUM_REQUIRE(pass_cost(passage));
  if (passage.is_over) return Ok{};
  return ask(id, passage);
}

// Most refused proposals end here, so cheap checks come first: what the document says before the
// model is built, what the model says before it is recognized, and all limits on cost before the
// candidate is described for people.
Status Passages::pass_cost(Passage& passage) {
  ++counts_[0].entered;
  CAMBIUM_TRY(std::optional<store::Evaluation> cost,
              context_.study->evaluation(cost_key(passage.identity)));
  const bool is_known = cost.has_value();
  if (!is_known) {
    cost.emplace();
    cost->key = cost_key(passage.identity);
    if (const auto why = refused_by_document(passage)) return refuse(passage, 0, *why);
    const auto model = spaces::apply(*context_.base, passage.candidate, context_.spaces);
    if (model.ok()) {
      const model::Cost plain = model::cost_of(*model);
      add_scores(plain_values(plain), passage.scores);
      if (const auto why = broken_limit(passage)) return refuse(passage, 0, *why);
      cost->values = cost_values(*model, plain);
    } else {
      cost->state = store::EvaluationState::Refused;
      cost->reason = name_of(model.rejection().reason());
      cost->detail = model.rejection().message();
    }
  }
  if (cost->state == store::EvaluationState::Refused) {
    if (!is_known) CAMBIUM_REQUIRE(context_.evaluations->record(*cost));
    ++counts_[0].refused;
    passage.is_over = passage.is_refused = true;
    passage.refused_by = kCostEvaluator;
    passage.reason = cost->reason;
    passage.detail = cost->detail;
    return Ok{};
  }
  add_scores(cost->values, passage.scores);
  if (const auto why = broken_limit(passage)) {
    if (!is_known) CAMBIUM_REQUIRE(context_.evaluations->record(*cost));
    return refuse(passage, 0, *why);
  }
  CAMBIUM_REQUIRE(draw(passage, *cost, is_known));
  passage.is_over = stages_.empty();
  return Ok{};
}

// With the cost, which another search may have kept without it.
Status Passages::draw(const Passage& passage, const store::Evaluation& cost, bool is_known) {
  bool is_drawn = passage.candidate.edits.empty();
  for (const char* name : kTexts) {
    if (!is_known || is_drawn) break;
    CAMBIUM_TRY(const auto text, context_.study->artifact(passage.identity, name));
    is_drawn = text.has_value();
  }
  if (is_drawn) return is_known ? Status(Ok{}) : context_.evaluations->record(cost);
  const Drawn drawing = drawn(context_, passage.candidate);
  if (!drawing.title.empty()) {
    CAMBIUM_REQUIRE(context_.study->set_title(passage.identity, drawing.title));
  }
  return context_.evaluations->record(cost, drawing.artifacts);
}

Status Passages::ask(std::int64_t id, Passage& passage) {
  const Stage& stage = stages_[passage.values.size()];
  ++counts_[passage.values.size() + 1].entered;
  const auto estimates = [this, &passage, &stage]() -> Estimates {
    if (!context_.estimate) return {};
    const auto model = spaces::apply(*context_.base, passage.candidate, context_.spaces);
    return model.ok() ? context_.estimate(*model, stage.evaluator) : Estimates{};
  };
  for (const std::uint64_t seed : stage.seeds) {
    CAMBIUM_REQUIRE(
        context_.evaluations->ask(id, passage.identity, passage.document, stage, seed, estimates));
  }
  return Ok{};
}

Status Passages::take(Answer answer) {
  const auto found = passages_.find(answer.asker);
  // Of a passage that another seed's refusal has ended.
  if (found == passages_.end() || found->second.is_over) return Ok{};
  Passage& passage = found->second;
  const Stage& stage = stages_[passage.values.size()];
  if (answer.evaluation.state == store::EvaluationState::Refused) {
    ++counts_[passage.values.size() + 1].refused;
    passage.is_over = passage.is_refused = true;
    passage.refused_by = stage.evaluator;
    passage.reason = answer.evaluation.reason;
    passage.detail = answer.evaluation.detail;
    return Ok{};
  }
  passage.answers.push_back(std::move(answer.evaluation));
  if (passage.answers.size() < stage.seeds.size()) return Ok{};
  CAMBIUM_REQUIRE(conclude_stage(passage));
  if (passage.is_over) return Ok{};
  return ask(found->first, passage);
}

Status Passages::conclude_stage(Passage& passage) {
  const std::size_t at = passage.values.size();
  const Stage& stage = stages_[at];
  const auto values = joined(passage.answers);
  passage.answers.clear();
  const bool is_pending =
      std::any_of(values.begin(), values.end(), [](const auto& v) { return v.second.is_estimate; });
  if (is_pending || values.empty()) ++counts_[at + 1].pending;
  add_scores(values, passage.scores);
  StageValues& plain = passage.values.emplace_back();
  for (const auto& [name, value] : values) plain.emplace(name, value.value);
  if (const auto why = broken_limit(passage)) return refuse(passage, at + 1, *why);
  if (const auto why = closed_gate(passage, stage)) return refuse(passage, at + 1, *why);
  passage.is_over = passage.values.size() == stages_.size();
  return Ok{};
}

std::optional<Rejection> Passages::broken_limit(const Passage& passage) const {
  for (const Limit& limit : yardstick_.limits) {
    const auto& value = passage.scores.at(limit.metric);
    // An estimate excludes nobody.
    if (!value || value->is_estimate || limit.holds(value->value)) continue;
    return Rejection(Reason::OverBudget, std::string(name_of(limit.metric)),
                     fmt::format("{}, the limit is {}", text_of(limit.metric, value->value),
                                 text_of(limit.metric, limit.bound)));
  }
  return std::nullopt;
}

// A bound above the limit means that the count is above it too.
std::optional<Rejection> Passages::refused_by_document(const Passage& passage) const {
  const auto limit = std::find_if(yardstick_.limits.begin(), yardstick_.limits.end(),
                                  [](const Limit& l) { return l.metric == Metric::Activations; });
  if (limit == yardstick_.limits.end() || passage.candidate.edits.size() != 1) return std::nullopt;
  const spaces::Edit& edit = passage.candidate.edits.front();
  const spaces::Space* space = spaces::space_named(edit.space, context_.spaces);
  if (space == nullptr) return std::nullopt;
  const auto least = space->activation_bound(edit, limit->bound);
  if (!least || limit->holds(*least)) return std::nullopt;
  return Rejection(Reason::OverBudget, std::string(name_of(limit->metric)),
                   fmt::format("at least {}, the limit is {}", text_of(limit->metric, *least),
                               text_of(limit->metric, limit->bound)));
}

namespace {

// Of a score that is negative, as a logarithm is, half is as far below it as half of a positive one
// is: so much of its size.
double share_of(double score, double share) {
  return score > 0 ? share * score : (2 - share) * score;
}

}  // namespace

std::optional<Rejection> Passages::closed_gate(const Passage& passage, const Stage& stage) const {
  if (yardstick_.original == nullptr) return std::nullopt;
  const StageValues& own = passage.values.back();
  const StageValues& original = (*yardstick_.original)[passage.values.size() - 1];
  for (const Gate& gate : stage.gates) {
    const auto value = own.find(gate.value);
    const auto reference = original.find(gate.value);
    if (value == own.end() || (gate.is_relative && reference == original.end())) continue;
    const double unit = gate.is_relative ? reference->second : 1;
    // Shares of nothing say nothing.
    if (unit == 0 || std::isnan(unit)) continue;
    const double least = share_of(unit, gate.least), most = share_of(unit, gate.most);
    if (value->second >= least && value->second <= most) continue;
    return Rejection(Reason::NotPromising, gate.value,
                     fmt::format("{:.4g}, asked for {:.4g} to {:.4g}", value->second, least, most));
  }
  return std::nullopt;
}

// What a limit or a gate refuses depends on this search alone; it stands in the study beside what
// evaluators refused, so that a search ends with all its reasons.
Status Passages::refuse(Passage& passage, std::size_t count, const Rejection& why) {
  ++counts_[count].refused;
  passage.is_over = passage.is_refused = true;
  passage.refused_by = counts_[count].evaluator;
  passage.reason = name_of(why.reason());
  passage.detail = why.message();
  store::Evaluation refusal;
  refusal.key = {
      passage.identity,           "funnel", "1", fmt::format("\"{}\"", passage.refused_by),
      static_cast<double>(count), 0,        {}};
  refusal.state = store::EvaluationState::Refused;
  refusal.reason = passage.reason;
  refusal.detail = passage.detail;
  return context_.evaluations->record(refusal);
}

}  // namespace cambium::search
