#include "search/passage.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "model/cost.h"
#include "model/recognize/pass.h"
#include "study/record.h"

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

// Values that need no recognition.
std::map<std::string, store::StudyValue> plain_values(const model::Cost& cost) {
  return {{"parameters", exact(cost.params)},
          {"memory", exact(cost.weight_bytes + cost.peak_bytes)}};
}

std::map<std::string, store::StudyValue> cost_values(const model::Model& model,
                                                     const model::Cost& cost) {
  const model::Pass pass = model::pass_of(model);
  auto values = plain_values(cost);
  // An operator may need fewer MACs than it is written with: weights that do not meet the input
  // first are multiplied in advance.
  values["macs"] = exact(std::min(cost.macs, pass.macs));
  values["activations"] = exact(pass.activation_bytes);
  return values;
}

constexpr const char* kTexts[] = {"equation.txt", "loops.txt", "drawing.dot"};

// Title and drawings of a candidate, for tables and reports.
struct Drawn {
  std::string title;
  std::vector<store::Artifact> artifacts;
};

Drawn drawn(const Passages::Context& context, const spaces::Candidate& candidate) {
  Drawn all;
  std::string texts[std::size(kTexts)];
  for (const auto& about : spaces::describe(*context.base, candidate, context.spaces)) {
    if (!all.title.empty()) all.title += "; ";
    all.title += about.title;
    texts[0] += about.equation;
    texts[1] += about.loops;
    // There is one file, with the drawing of the first edit.
    if (texts[2].empty()) texts[2] = about.drawing;
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
  stage.evaluator = study::kCostEvaluator;
  stage.seeds = {0};
  return stage;
}

Passages::Passages(Context context, std::vector<Stage> stages, Yardstick yardstick)
    : context_(std::move(context)), stages_(std::move(stages)), yardstick_(std::move(yardstick)) {
  counts_.push_back({study::kCostEvaluator});
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

Status Passages::begin(std::int64_t id, spaces::Candidate candidate,
                       std::vector<std::string> probed) {
  const auto [place, is_new] = passages_.try_emplace(id);
  CAMBIUM_CHECK(is_new, "a passage of that number is in progress");
  Passage& passage = place->second;
  passage.identity = spaces::identity_of(candidate);
  passage.document = spaces::to_json(candidate);
  passage.candidate = std::move(candidate);
  passage.probed = std::move(probed);
  CAMBIUM_REQUIRE(pass_cost(passage));
  if (passage.is_over) return Ok{};
  return ask(id, passage);
}

// Most refused proposals end here, so cheap checks come first: the document before the model is
// built, the model before it is recognized, and all limits on cost before the candidate is
// described.
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
      const auto why = broken_limit(yardstick_.limits, passage.scores);
      if (why && !passage.is_probe()) return refuse(passage, 0, *why);
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
    passage.refused_by = study::kCostEvaluator;
    passage.reason = cost->reason;
    passage.detail = cost->detail;
    return Ok{};
  }
  add_scores(cost->values, passage.scores);
  passage.all_values = cost->values;
  auto why = broken_limit(yardstick_.limits, passage.scores);
  if (why && !is_known) CAMBIUM_REQUIRE(context_.evaluations->record(*cost));
  if (!why) CAMBIUM_REQUIRE(draw(passage, *cost, is_known));
  return conclude(passage, 0, std::move(why));
}

// Stores drawings with the cost. Another search may have stored the cost without them.
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
  // A refusal under another seed may have ended the passage.
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
  const auto values = study::joined(passage.answers);
  const bool is_pending = std::any_of(
      passage.answers.begin(), passage.answers.end(),
      [](const auto& answer) { return answer.state == store::EvaluationState::Pending; });
  passage.answers.clear();
  if (is_pending) ++counts_[at + 1].pending;
  add_scores(values, passage.scores);
  StageValues& plain = passage.values.emplace_back();
  for (const auto& [name, value] : values) {
    plain.emplace(name, value.value);
    passage.all_values.insert_or_assign(name, value);
  }
  auto why = broken_limit(yardstick_.limits, passage.scores);
  if (!why && yardstick_.original != nullptr) {
    why = closed_gate(stage, plain, (*yardstick_.original)[at]);
  }
  return conclude(passage, at + 1, std::move(why));
}

Status Passages::conclude(Passage& passage, std::size_t count, std::optional<Rejection> why) {
  if (!passage.broken) passage.broken = std::move(why);
  const bool is_last = passage.values.size() == stages_.size();
  const bool has_probed =
      std::all_of(passage.probed.begin(), passage.probed.end(),
                  [&](const std::string& name) { return passage.all_values.count(name) > 0; });
  if (!is_last && !has_probed) return Ok{};
  if (passage.broken) return refuse(passage, count, *passage.broken);
  passage.is_complete = is_last;
  passage.is_over = is_last || passage.is_probe();
  return Ok{};
}

namespace {

std::optional<double>* cost_at(spaces::Costs& costs, study::Metric metric) {
  switch (metric) {
    case study::Metric::Macs: return &costs.macs;
    case study::Metric::Parameters: return &costs.parameters;
    case study::Metric::Memory: return &costs.memory;
    case study::Metric::Activations: return &costs.activations;
    case study::Metric::Accuracy:
    case study::Metric::Perplexity:
    case study::Metric::Latency:
    case study::Metric::FisherChange: break;
  }
  return nullptr;
}

}  // namespace

// If the lower bound exceeds the limit, the count does too.
std::optional<Rejection> Passages::refused_by_document(const Passage& passage) const {
  if (passage.is_probe()) return std::nullopt;
  const spaces::Edits& edits = passage.candidate.edits;
  const bool is_of_one_space =
      !edits.empty() && std::all_of(edits.begin(), edits.end(), [&](const spaces::Edit& edit) {
        return edit.space == edits[0].space;
      });
  if (!is_of_one_space) return std::nullopt;
  const spaces::Space* space = spaces::space_named(edits[0].space, context_.spaces);
  if (space == nullptr) return std::nullopt;
  spaces::Costs limits;
  for (const study::Limit& limit : yardstick_.limits) {
    auto* const most = cost_at(limits, limit.metric);
    if (most != nullptr) *most = std::min(limit.bound, most->value_or(limit.bound));
  }
  if (limits == spaces::Costs{}) return std::nullopt;
  spaces::Costs least = space->cost_bound(edits, limits);
  for (const study::Limit& limit : yardstick_.limits) {
    const auto* const bound = cost_at(least, limit.metric);
    if (bound == nullptr || !*bound || limit.holds(**bound)) continue;
    return Rejection(Reason::OverBudget, std::string(name_of(limit.metric)),
                     fmt::format("at least {}, the limit is {}", text_of(limit.metric, **bound),
                                 text_of(limit.metric, limit.bound)));
  }
  return std::nullopt;
}

// Limits and gates depend on this search alone. Their refusals are stored beside those of
// evaluators, so that the study holds all reasons.
Status Passages::refuse(Passage& passage, std::size_t count, const Rejection& why) {
  ++counts_[count].refused;
  passage.is_over = passage.is_refused = passage.is_over_threshold = true;
  passage.refused_by = counts_[count].evaluator;
  passage.reason = name_of(why.reason());
  passage.detail = why.message();
  store::Evaluation refusal;
  refusal.key.candidate = passage.identity;
  refusal.key.evaluator = study::kFunnelEvaluator;
  refusal.key.version = "1";
  refusal.key.options = study::refusal_options(context_.search, passage.refused_by);
  refusal.key.fidelity = static_cast<double>(count);
  refusal.state = store::EvaluationState::Refused;
  refusal.reason = passage.reason;
  refusal.detail = passage.detail;
  return context_.evaluations->record(refusal);
}

}  // namespace cambium::search
