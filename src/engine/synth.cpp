#include "engine/synth.h"

#include <chrono>
#include <cmath>
#include <iostream>
#include <iterator>
#include <memory>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "engine/documents.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/lowering/draw.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/lowering/text.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/structure.h"
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

// Trials without a new operator after which a space counts as exhausted.
constexpr std::uint64_t kPatience = 200'000;

struct Budgets {
  double least_macs = 0, most_macs = std::numeric_limits<double>::infinity();
  double most_parameters = std::numeric_limits<double>::infinity();

  bool has_macs() const { return least_macs > 0 || std::isfinite(most_macs); }
};

struct Cost {
  std::int64_t macs = 0, parameters = 0;
};

Result<Cost> cost_over(const Problem& problem, const Operator& op) {
  CAMBIUM_TRY(const auto stages, coordinate::stages_of(op, problem.bindings));
  Cost cost;
  for (const expr::Binding& binding : problem.bindings) {
    CAMBIUM_TRY(const auto here, coordinate::cost_of(op, stages, binding));
    cost.macs += here.macs;
    cost.parameters += here.parameters;
  }
  return cost;
}

Result<std::string> document_of(const std::string& what) {
  if (const auto* known = coordinate::find_known(what)) return std::string(known->document);
  if (what == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  return read_file(what);
}

// What budgets of the form `0.5x` are shares of.
Result<Operator> original_of(const SynthOptions& options, const Problem& problem) {
  if (!options.original.empty()) {
    CAMBIUM_TRY(const std::string document, document_of(options.original));
    return coordinate::parse(problem, document);
  }
  for (const auto& known : coordinate::known_operators()) {
    const Problem of = coordinate::problem_of(known);
    if (coordinate::shape_text(of.sizes, of.input) !=
            coordinate::shape_text(problem.sizes, problem.input) ||
        coordinate::shape_text(of.sizes, of.output) !=
            coordinate::shape_text(problem.sizes, problem.output)) {
      continue;
    }
    if (auto parsed = coordinate::parse(problem, known.document); parsed.ok()) return parsed;
  }
  return Rejection(Reason::BadOption, "a budget such as 0.5x", "name the --original");
}

bool is_share(std::string_view budget) {
  return !budget.empty() && budget.back() == 'x';
}

// `2e9`, or `0.5x` of a number.
Result<double> budget(const std::string& text, const char* option, double original) {
  const std::string_view digits(text.data(), text.size() - (is_share(text) ? 1 : 0));
  const auto number = parse_double(digits);
  if (!number.ok() || !(*number > 0)) {
    return Rejection(Reason::BadOption, option, "'" + text + "' is neither 2e9 nor 0.5x");
  }
  return is_share(text) ? *number * original : *number;
}

Result<Budgets> budgets_of(const SynthOptions& options, const Problem& problem) {
  Budgets budgets;
  Cost original;
  if (is_share(options.least_macs) || is_share(options.most_macs) ||
      is_share(options.most_parameters)) {
    CAMBIUM_TRY(const Operator op, original_of(options, problem));
    CAMBIUM_TRY(original, cost_over(problem, op));
  }
  const auto macs = static_cast<double>(original.macs);
  if (!options.least_macs.empty()) {
    CAMBIUM_TRY(budgets.least_macs, budget(options.least_macs, "--min-macs", macs));
  }
  if (!options.most_macs.empty()) {
    CAMBIUM_TRY(budgets.most_macs, budget(options.most_macs, "--max-macs", macs));
  }
  if (!options.most_parameters.empty()) {
    CAMBIUM_TRY(budgets.most_parameters, budget(options.most_parameters, "--max-parameters",
                                                static_cast<double>(original.parameters)));
  }
  if (budgets.least_macs > budgets.most_macs) {
    return Rejection(Reason::BadOption, "--min-macs",
                     "it is above --max-macs, which excludes every operator");
  }
  return budgets;
}

Result<std::unique_ptr<synthesis::Space>> space_of(const SynthOptions& options, Problem problem) {
  auto rules = options.exact_rules ? synthesis::RuleSet::exact() : synthesis::RuleSet();
  for (const std::string& name : options.without) {
    CAMBIUM_TRY(rules, rules.without(name));
  }
  return synthesis::Space::make(std::move(problem), options.limits, rules);
}

Result<SynthOperator> described(const Problem& problem, const Operator& op) {
  CAMBIUM_TRY(const Cost cost, cost_over(problem, op));
  SynthOperator out;
  out.identity = coordinate::identity(problem, op).text();
  out.text = coordinate::to_text(problem, op);
  out.equation = std::string(trim(coordinate::equation_text(problem, op)));
  out.primitives = coordinate::primitive_count(op);
  out.macs = cost.macs;
  out.parameters = cost.parameters;
  return out;
}

// Which operators were seen, by what they compute; by their equations where computing that would
// take too long.
class Seen {
 public:
  explicit Seen(const Problem& problem) : problem_(problem), hasher_(problem) {}
  bool is_new(const Operator& op) {
    const auto semantic = hasher_.fingerprint(op);
    return seen_.insert(semantic.ok() ? *semantic : coordinate::identity(problem_, op)).second;
  }
  std::uint64_t count() const { return seen_.size(); }

 private:
  const Problem& problem_;
  coordinate::SemanticHasher hasher_;
  std::unordered_set<Fingerprint> seen_;
};

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
  CAMBIUM_TRY(const Problem problem,
              coordinate::problem_of(options.input, options.output, options.bindings));
  CAMBIUM_TRY(const Budgets budgets, budgets_of(options, problem));
  CAMBIUM_TRY(const std::unique_ptr<synthesis::Space> space, space_of(options, problem));
  synthesis::SampleOptions how;
  how.seed = options.seed;
  how.law = options.by_step ? synthesis::Law::ByStep : synthesis::Law::ByKind;
  how.guide = options.guide;
  how.most_parameters = budgets.most_parameters;
  how.least_macs = budgets.least_macs;
  how.most_macs = budgets.most_macs;
  if (budgets.has_macs()) how.macs = coordinate::fewest_macs;
  synthesis::Sampler sampler(*space, how);
  const std::string name = "the space from " + options.output + " to " + options.input;
  if (sampler.is_empty()) {
    return Rejection(Reason::NoSamples, name, "operator within the limits");
  }
  Seen seen(problem);
  SynthSummary summary;
  std::uint64_t last = 0;  // trial that found something new
  while (seen.count() < options.count) {
    const std::uint64_t trials = sampler.statistics().trials;
    if (options.trials > 0 ? trials >= options.trials : trials - last > kPatience) break;
    const auto sample = sampler.trial();
    if (!sample) continue;
    if (!seen.is_new(sample->op)) continue;
    last = sampler.statistics().trials;
    CAMBIUM_TRY(const SynthOperator op, described(problem, sample->op));
    if (!use(op)) break;
  }
  if (seen.count() == 0 && sampler.statistics().over_budget > 0) {
    return Rejection(Reason::NoSamples, name, "operator within the budgets, as far as was drawn");
  }
  summary.trials = sampler.statistics().trials;
  summary.valid = sampler.statistics().valid;
  summary.over_budget = sampler.statistics().over_budget;
  summary.dead_ends = sampler.statistics().dead_ends;
  summary.distinct = seen.count();
  take_stock(*space, sampler.reach(), summary);
  summary.seconds = since(start);
  return summary;
}

Result<SynthSummary> list_operators(const SynthOptions& options, const SynthUse& use) {
  const auto start = Clock::now();
  CAMBIUM_TRY(const Problem problem,
              coordinate::problem_of(options.input, options.output, options.bindings));
  CAMBIUM_TRY(const Budgets budgets, budgets_of(options, problem));
  CAMBIUM_TRY(const std::unique_ptr<synthesis::Space> space, space_of(options, problem));
  synthesis::Reach reach(*space);
  Seen seen(problem);
  SynthSummary summary;
  Status failed = Ok{};
  const auto each = [&](synthesis::StateId, const synthesis::Finishing& finishing,
                        const synthesis::Choice& choice) {
    ++summary.trials;
    const Operator op = synthesis::finish(*space, finishing.anatomy(), choice);
    auto described_op = described(problem, op);
    if (!described_op.ok()) {
      failed = std::move(described_op).rejection();
      return false;
    }
    const auto macs = static_cast<double>(described_op->macs);
    if (macs < budgets.least_macs || macs > budgets.most_macs ||
        static_cast<double>(described_op->parameters) > budgets.most_parameters) {
      ++summary.over_budget;
      return true;
    }
    ++summary.valid;
    seen.is_new(op);
    return use(*described_op) && summary.valid < options.count;
  };
  synthesis::enumerate(*space, reach, each);
  CAMBIUM_REQUIRE(failed);
  summary.distinct = seen.count();
  take_stock(*space, reach, summary);
  summary.seconds = since(start);
  return summary;
}

Result<SynthCount> count_operators(const SynthOptions& options, std::size_t most_states) {
  CAMBIUM_TRY(Problem problem,
              coordinate::problem_of(options.input, options.output, options.bindings));
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
  CAMBIUM_TRY(const std::string document, document_of(what));
  SynthOptions with = options;
  CAMBIUM_TRY(const coordinate::DocumentShapes shapes, coordinate::document_shapes(document));
  if (with.input.empty()) with.input = shapes.input;
  if (with.output.empty()) with.output = shapes.output;
  if (with.bindings.empty()) {
    const auto* known = coordinate::find_known(what);
    if (known == nullptr) {
      return Rejection(
          Reason::BadOption, "--bind",
          "say what the variables of " + shapes.input + " -> " + shapes.output + " are worth");
    }
    with.bindings.emplace_back(known->binding);
  }
  CAMBIUM_TRY(const Problem problem,
              coordinate::problem_of(with.input, with.output, with.bindings));
  CAMBIUM_TRY(const Operator op, coordinate::parse(problem, document));
  OperatorReport report;
  CAMBIUM_TRY(report.op, described(problem, op));
  report.json = coordinate::to_json(problem, op);
  coordinate::SemanticHasher hasher(problem);
  const auto semantic = hasher.fingerprint(op);
  report.semantic = semantic.ok() ? semantic->text() : "too large to tell";
  CAMBIUM_TRY(const auto stages, coordinate::stages_of(op, problem.bindings));
  report.stages = coordinate::stages_text(problem, op, stages);
  report.loops = coordinate::loops_text(problem, op, stages);
  report.drawing = coordinate::to_dot(problem, op);
  for (const expr::Binding& binding : problem.bindings) {
    CAMBIUM_TRY(const auto cost, coordinate::cost_of(op, stages, binding));
    report.places.push_back(
        {problem.sizes.print(binding), cost.macs, cost.parameters, cost.intermediate});
  }
  CAMBIUM_TRY(const std::unique_ptr<synthesis::Space> space, space_of(with, problem));
  const synthesis::Path path = synthesis::path_to(*space, op);
  report.path = path.steps;
  report.forbidden_by = path.forbidden_by;
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
          {"primitives", op.primitives}, {"macs", op.macs}, {"parameters", op.parameters}};
}

nlohmann::json to_json(const std::vector<SynthOperator>& operators, const SynthSummary& s) {
  nlohmann::json out = document("synth", 1);
  out["operators"] = nlohmann::json::array();
  for (const SynthOperator& op : operators) out["operators"].push_back(to_json(op));
  out["summary"] = {{"trials", s.trials},
                    {"valid", s.valid},
                    {"over_budget", s.over_budget},
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
  about["document"] = nlohmann::json::parse(report.json);
  about["semantic"] = report.semantic;
  about["stages"] = report.stages;
  about["path"] = report.path;
  about["in_space"] = report.forbidden_by.empty();
  if (!report.forbidden_by.empty()) about["forbidden_by"] = report.forbidden_by;
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
