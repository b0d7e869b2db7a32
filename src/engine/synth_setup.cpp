#include "engine/synth_setup.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <iterator>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/lowering/padded_problem.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::engine {

namespace {

namespace coordinate = spaces::coordinate;
namespace synthesis = spaces::coordinate::synthesis;
using coordinate::Operator;
using coordinate::Problem;

constexpr std::int64_t kMostOccurrences = 9;

// What budgets of the form `0.5x` are shares of.
Result<Operator> original_of(const SynthOptions& options, const Problem& problem) {
  if (!options.original.empty()) {
    CAMBIUM_TRY(const std::string document, synth_document(options.original));
    return coordinate::parse(problem, document, options.limits.pad);
  }
  for (const auto& known : coordinate::known_operators()) {
    const Problem of = coordinate::problem_of(known);
    if (coordinate::shape_text(of.sizes, of.input) !=
            coordinate::shape_text(problem.sizes, problem.input) ||
        coordinate::shape_text(of.sizes, of.output) !=
            coordinate::shape_text(problem.sizes, problem.output)) {
      continue;
    }
    auto parsed = coordinate::parse(problem, known.document, options.limits.pad);
    if (parsed.ok()) return parsed;
  }
  return Rejection(Reason::BadOption, "a share as a budget",
                   "give --original, because no operator of the catalogue has these shapes");
}

bool is_share(std::string_view budget) {
  return !budget.empty() && budget.back() == 'x';
}

// `2e9`, or `0.5x` of a number.
Result<double> budget(const std::string& text, const char* option, double original) {
  const std::string_view digits(text.data(), text.size() - (is_share(text) ? 1 : 0));
  const auto number = parse_double(digits);
  if (!number.ok() || !(*number > 0)) {
    return Rejection(
        Reason::BadOption, option,
        "'" + text + "' is neither a number (2e9) nor a share of the original's (0.5x)");
  }
  return is_share(text) ? *number * original : *number;
}

// `H=0, Ci=2`.
Result<synthesis::Limits> limits_of(const SynthOptions& options, const Problem& problem) {
  synthesis::Limits limits = synthesis::with_default_occurrences(problem, options.limits);
  if (options.even_windows) limits.odd_windows = false;
  if (trim(options.occurrences).empty()) return limits;
  for (const std::string_view part : split(options.occurrences, ',')) {
    const std::vector<std::string_view> sides = split(part, '=');
    const auto refusal = [&](std::string what) {
      return Rejection(Reason::BadOption, "--occurrences",
                       "'" + std::string(trim(part)) + "': " + std::move(what));
    };
    if (sides.size() != 2) return refusal("write VARIABLE=N, such as H=0");
    const auto var = problem.sizes.find(trim(sides[0]));
    if (!var) return refusal("no shape and no binding has such a variable");
    const auto count = parse_int(trim(sides[1]));
    if (!count.ok() || *count < 0 || *count > kMostOccurrences) {
      return refusal("the number must be from 0 to 9");
    }
    limits.occurrences[var->index] = static_cast<std::uint8_t>(*count);
  }
  return limits;
}

}  // namespace

std::vector<SynthLimit> synth_limits() {
  std::vector<SynthLimit> limits;
  for (const synthesis::LimitInfo& info : synthesis::limit_infos()) {
    limits.push_back({std::string("--max-") + info.name, info.what, info.least,
                      synthesis::most_useful(info), info.limit});
  }
  return limits;
}

Result<std::string> synth_document(const std::string& what) {
  if (const auto* known = coordinate::find_known(what)) return std::string(known->document);
  if (what == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  return read_file(what);
}

Result<synthesis::Budgets> budgets_of(const SynthOptions& options, const Problem& problem) {
  synthesis::Budgets budgets;
  const bool pad = options.limits.pad;
  coordinate::SummedCost original;
  if (is_share(options.least_macs) || is_share(options.most_macs) ||
      is_share(options.most_parameters) || is_share(options.most_memory)) {
    CAMBIUM_TRY(const Operator op, original_of(options, problem));
    CAMBIUM_TRY(original, coordinate::cost_of(problem, op, pad));
  }
  const auto take = [](const std::string& text, const char* option, double of,
                       double& out) -> Status {
    if (text.empty()) return Ok{};
    CAMBIUM_TRY(out, budget(text, option, of));
    return Ok{};
  };
  const auto macs = static_cast<double>(original.macs);
  CAMBIUM_REQUIRE(take(options.least_macs, "--min-macs", macs, budgets.least_macs));
  CAMBIUM_REQUIRE(take(options.most_macs, "--max-macs", macs, budgets.most_macs));
  CAMBIUM_REQUIRE(take(options.most_parameters, "--max-parameters",
                       static_cast<double>(original.parameters), budgets.most_parameters));
  CAMBIUM_REQUIRE(take(options.most_memory, "--max-memory", original.memory, budgets.most_memory));
  if (budgets.least_macs > budgets.most_macs) {
    return Rejection(Reason::BadOption, "--min-macs",
                     "it is above --max-macs, which excludes every operator");
  }
  // What cannot be padded has no cost: it is outside of every budget.
  if (pad || budgets.least_macs > 0 || std::isfinite(budgets.most_macs)) {
    budgets.macs = coordinate::priced(problem, pad, coordinate::fewest_macs);
  }
  if (std::isfinite(budgets.most_memory))
    budgets.memory = coordinate::priced(problem, pad, coordinate::most_bytes);
  if (pad && std::isfinite(budgets.most_parameters))
    budgets.parameters = coordinate::priced(problem, pad, coordinate::parameters_of);
  return budgets;
}

Result<std::unique_ptr<synthesis::Space>> space_of(const SynthOptions& options, Problem problem) {
  auto rules = options.exact_rules ? synthesis::RuleSet::exact() : synthesis::RuleSet();
  for (const std::string& name : options.without) {
    CAMBIUM_TRY(rules, rules.without(name));
  }
  CAMBIUM_TRY(const synthesis::Limits limits, limits_of(options, problem));
  return synthesis::Space::make(std::move(problem), limits, rules);
}

std::vector<std::string> words_of(const synthesis::Admission& admission,
                                  const SynthOptions& given) {
  std::vector<std::string> words;
  const auto add = [&words](std::string option, std::string value) {
    words.push_back(std::move(option));
    words.push_back(std::move(value));
  };
  for (const std::string& rule : admission.without) add("--without", rule);
  if (admission.even_windows) words.emplace_back("--even-windows");
  if (admission.window_ratio) {
    add("--least-window-ratio", fmt::format("{}", *admission.window_ratio));
  }
  if (admission.weight_free) words.emplace_back("--weight-free");
  for (const auto& [info, most] : admission.limits) {
    add(std::string("--max-") + info.name, std::to_string(most));
  }
  if (admission.coefficient_power) {
    add("--max-powers", std::to_string(*admission.coefficient_power));
  }
  // As the options have them, then those that need another number: the last one counts.
  std::vector<std::string> parts;
  if (!trim(given.occurrences).empty()) parts.emplace_back(trim(given.occurrences));
  for (const auto& [name, most] : admission.occurrences) {
    parts.push_back(name + "=" + std::to_string(most));
  }
  if (!admission.occurrences.empty()) add("--occurrences", join(parts, ", "));
  return words;
}

}  // namespace cambium::engine
