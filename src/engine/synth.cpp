#include "engine/synth.h"

#include <chrono>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "engine/documents.h"
#include "engine/synth_setup.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/lowering/draw.h"
#include "spaces/coordinate/lowering/padded_problem.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/lowering/text.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/structure.h"
#include "spaces/coordinate/synthesis/distinct.h"
#include "spaces/coordinate/synthesis/enumerate.h"
#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/path.h"
#include "spaces/coordinate/synthesis/space.h"

namespace cambium::engine {

namespace {

namespace coordinate = spaces::coordinate;
namespace synthesis = spaces::coordinate::synthesis;
using coordinate::Operator;
using coordinate::Problem;

Result<Problem> problem_of(const SynthOptions& options) {
  return coordinate::problem_of(options.input, options.output, options.bindings,
                                options.limits.pad);
}

Result<SynthOperator> described(const Problem& problem, const Operator& op, bool pad) {
  CAMBIUM_TRY(const coordinate::SummedCost cost, coordinate::cost_of(problem, op, pad));
  SynthOperator out;
  out.identity = coordinate::identity(problem, op).text();
  out.text = coordinate::to_text(problem, op);
  out.equation = std::string(trim(coordinate::equation_text(problem, op)));
  out.primitives = coordinate::primitive_count(op);
  out.macs = cost.macs;
  out.parameters = cost.parameters;
  out.memory = static_cast<std::int64_t>(cost.memory);
  return out;
}

void take_stock(const synthesis::Space& space, synthesis::Reach& reach, SynthSummary& summary) {
  summary.states = space.states.count();
  summary.bytes = space.states.bytes() + reach.bytes();
  summary.applications = reach.statistics().applications;
}

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Result<SynthSummary> sample_operators(const SynthOptions& options, const SynthUse& use) {
  const auto start = Clock::now();
  CAMBIUM_TRY(const Problem problem, problem_of(options));
  const bool pad = options.limits.pad;
  synthesis::SampleOptions how;
  CAMBIUM_TRY(static_cast<synthesis::Budgets&>(how), budgets_of(options, problem));
  CAMBIUM_TRY(const std::unique_ptr<synthesis::Space> space, space_of(options, problem));
  how.seed = options.seed;
  how.law = options.by_step ? synthesis::Law::ByStep : synthesis::Law::ByKind;
  how.guide = options.guide;
  how.draws_per_path = synthesis::draws_per_path(options.count);
  synthesis::Sampler sampler(*space, how);
  const synthesis::SampleStatistics& statistics = sampler.statistics();
  synthesis::DistinctOperators seen(problem, coordinate::divisible(problem, pad));
  const auto each = [&](const Operator& op) -> Result<bool> {
    CAMBIUM_TRY(const SynthOperator found, described(problem, op, pad));
    return use(found);
  };
  const std::string name = "the space from " + options.output + " to " + options.input;
  CAMBIUM_REQUIRE(
      synthesis::draw_distinct(*space, sampler, seen, {name, options.count, options.trials}, each));
  SynthSummary summary;
  summary.trials = statistics.trials;
  summary.valid = statistics.valid;
  summary.over_budget = statistics.over_budget;
  summary.dead_ends = statistics.dead_ends;
  summary.pruned = statistics.pruned;
  summary.is_all = sampler.is_exhausted();
  summary.distinct = seen.count();
  take_stock(*space, sampler.reach(), summary);
  summary.bytes += sampler.bytes();
  summary.seconds = since(start);
  return summary;
}

Result<SynthSummary> list_operators(const SynthOptions& options, const SynthUse& use) {
  const auto start = Clock::now();
  CAMBIUM_TRY(const Problem problem, problem_of(options));
  const bool pad = options.limits.pad;
  CAMBIUM_TRY(const synthesis::Budgets budgets, budgets_of(options, problem));
  CAMBIUM_TRY(const std::unique_ptr<synthesis::Space> space, space_of(options, problem));
  synthesis::Reach reach(*space);
  synthesis::DistinctOperators seen(problem, coordinate::divisible(problem, pad));
  SynthSummary summary;
  Status failed = Ok{};
  const auto each = [&](synthesis::StateId, const synthesis::Finishing& finishing,
                        const synthesis::Choice& choice) {
    ++summary.trials;
    const Operator op = synthesis::finish(*space, finishing.anatomy(), choice);
    if (!is_within(budgets, *space, finishing.anatomy(), choice, op)) {
      ++summary.over_budget;
      return true;
    }
    auto described_op = described(problem, op, pad);
    if (!described_op.ok()) {
      failed = std::move(described_op).rejection();
      return false;
    }
    ++summary.valid;
    seen.is_new(op);
    return use(*described_op) && summary.valid < options.count && !space->sizes.is_full();
  };
  summary.is_all = synthesis::enumerate(*space, reach, each, &budgets);
  CAMBIUM_REQUIRE(failed);
  CAMBIUM_REQUIRE(space->has_room());
  CAMBIUM_REQUIRE(space->complete());
  summary.pruned = reach.statistics().pruned;
  summary.distinct = seen.count();
  take_stock(*space, reach, summary);
  summary.seconds = since(start);
  return summary;
}

Result<SynthCount> count_operators(const SynthOptions& options, std::size_t most_states) {
  CAMBIUM_TRY(Problem problem, problem_of(options));
  CAMBIUM_TRY(const std::unique_ptr<synthesis::Space> space, space_of(options, std::move(problem)));
  synthesis::Reach reach(*space);
  CAMBIUM_TRY(const synthesis::Census census, synthesis::Census::of(*space, reach, most_states));
  SynthCount count;
  count.operators = census.operators();
  count.states = census.states();
  count.by_primitives.assign(census.by_size().begin(), census.by_size().end());
  while (!count.by_primitives.empty() && count.by_primitives.back() == 0) {
    count.by_primitives.pop_back();
  }
  return count;
}

Result<OperatorReport> explain_operator(const std::string& what, const SynthOptions& options) {
  CAMBIUM_TRY(const std::string document, synth_document(what));
  SynthOptions with = options;
  CAMBIUM_TRY(const coordinate::DocumentShapes shapes, coordinate::document_shapes(document));
  if (with.input.empty()) with.input = shapes.input;
  if (with.output.empty()) with.output = shapes.output;
  if (with.bindings.empty()) {
    const auto* known = coordinate::find_known(what);
    if (known == nullptr) {
      return Rejection(Reason::BadOption, "--bind",
                       "give values to the variables of " + shapes.input + " -> " + shapes.output);
    }
    with.bindings.emplace_back(known->binding);
  }
  CAMBIUM_TRY(const Problem problem, problem_of(with));
  const bool pad = options.limits.pad;
  CAMBIUM_TRY(const Operator op, coordinate::parse(problem, document, pad));
  OperatorReport report;
  CAMBIUM_TRY(report.op, described(problem, op, pad));
  report.document = std::make_shared<const nlohmann::json>(coordinate::json_of(problem, op));
  coordinate::SemanticHasher hasher(coordinate::divisible(problem, pad));
  const auto semantic = hasher.fingerprint(op);
  report.semantic = semantic.ok() ? semantic->text() : "too large to tell";
  CAMBIUM_TRY(const auto bindings, coordinate::bindings_for(problem, op, pad));
  CAMBIUM_TRY(const auto stages, coordinate::stages_of(op, bindings));
  report.stages = coordinate::stages_text(problem, op, stages);
  report.loops = coordinate::loops_text(problem, op, stages);
  report.drawing = coordinate::to_dot(problem, op);
  for (const expr::Binding& binding : bindings) {
    CAMBIUM_TRY(const auto cost, coordinate::cost_of(op, stages, binding));
    report.places.push_back(
        {problem.sizes.print(binding), cost.macs, cost.parameters, cost.intermediate});
  }
  CAMBIUM_TRY(const std::unique_ptr<synthesis::Space> space, space_of(with, problem));
  const synthesis::Path path = synthesis::path_to(*space, op);
  report.path = path.steps;
  report.forbidden_by = path.forbidden_by;
  if (path.is_in_space()) return report;
  if (const auto needed = synthesis::admission_of(op, problem, space->limits, space->rules)) {
    report.options_needed = words_of(*needed, with);
  }
  return report;
}

std::vector<KnownRow> known_rows() {
  std::vector<KnownRow> rows;
  for (const auto& known : coordinate::known_operators()) {
    const Problem problem = coordinate::problem_of(known);
    rows.push_back({std::string(known.name), std::string(known.what),
                    coordinate::shape_text(problem.sizes, problem.input) + " -> " +
                        coordinate::shape_text(problem.sizes, problem.output),
                    known.primitives});
  }
  return rows;
}

static nlohmann::json to_json(const SynthOperator& op) {
  return {{"identity", op.identity},     {"text", op.text}, {"equation", op.equation},
          {"primitives", op.primitives}, {"macs", op.macs}, {"parameters", op.parameters},
          {"memory", op.memory}};
}

nlohmann::json to_json(const std::vector<SynthOperator>& operators, const SynthSummary& s) {
  nlohmann::json out = document("synth", 1);
  out["operators"] = nlohmann::json::array();
  for (const SynthOperator& op : operators) out["operators"].push_back(to_json(op));
  out["summary"] = {{"trials", s.trials},
                    {"valid", s.valid},
                    {"over_budget", s.over_budget},
                    {"pruned", s.pruned},
                    {"all", s.is_all},
                    {"dead_ends", s.dead_ends},
                    {"distinct", s.distinct},
                    {"states", s.states},
                    {"bytes", s.bytes},
                    {"applications", s.applications},
                    {"seconds", s.seconds}};
  return out;
}

nlohmann::json to_json(const SynthCount& count) {
  nlohmann::json out = document("synth", 1);
  out["count"] = {{"operators", count.operators},
                  {"states", count.states},
                  {"by_primitives", count.by_primitives}};
  return out;
}

nlohmann::json to_json(const OperatorReport& report) {
  nlohmann::json about = to_json(report.op);
  about["document"] = *report.document;
  about["semantic"] = report.semantic;
  about["stages"] = report.stages;
  about["path"] = report.path;
  about["in_space"] = report.forbidden_by.empty();
  if (!report.forbidden_by.empty()) {
    about["forbidden_by"] = report.forbidden_by;
    about["options_needed"] = report.options_needed;
  }
  about["places"] = nlohmann::json::array();
  for (const OperatorReport::Place& place : report.places) {
    about["places"].push_back({{"binding", place.binding},
                               {"macs", place.macs},
                               {"parameters", place.parameters},
                               {"intermediate", place.intermediate}});
  }
  nlohmann::json out = document("synth", 1);
  out["operator"] = std::move(about);
  return out;
}

nlohmann::json to_json(const std::vector<KnownRow>& rows) {
  nlohmann::json out = document("synth", 1);
  out["known"] = nlohmann::json::array();
  for (const KnownRow& row : rows) {
    out["known"].push_back({{"name", row.name},
                            {"what", row.what},
                            {"shapes", row.shapes},
                            {"primitives", row.primitives}});
  }
  return out;
}

}  // namespace cambium::engine
