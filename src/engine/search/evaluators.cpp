#include "engine/search/evaluators.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/features.h"
#include "base/machine.h"
#include "base/text.h"
#include "engine/search/draft.h"
#include "engine/search/kernel_sum_evaluator.h"
#include "engine/search/latency.h"

namespace cambium::engine {
namespace {

std::string training_version() {
  return "4";
}

// Weights begin as those of a training.
std::string legality_version() {
  return "1 " + training_version();
}

search::Estimates estimated_latency(const model::Model& model, int threads) {
  const auto seconds = draft_latency(model, host_machine(), threads);
  if (!seconds.ok()) return {};
  return {{kLatency, {*seconds, 0, 1, true}}};
}

search::Estimates estimated_kernel_sum(const model::Model& model, int threads) {
  search::Estimates estimates = estimated_latency(model, threads);
  const auto latency = estimates.find(kLatency);
  if (latency != estimates.end()) estimates.emplace(kKernelSumValue, latency->second);
  return estimates;
}

const std::vector<EvaluatorRow>& rows() {
  static const std::vector<EvaluatorRow> all = {
      {.name = kAccuracy,
       .purpose = "trains the candidate",
       .program = EvaluatorProgram::Train,
       .feature = "torch",
       .version = training_version,
       .is_of_machine = false,
       .fidelity_unit = "epochs",
       .options = {"recipe", "set", "stopping", "keep", "test"},
       .values = {"accuracy", "perplexity", "test_accuracy", "test_perplexity"},
       .make = nullptr,
       .estimate = nullptr},
      {.name = kProxy,
       .purpose = "scores the candidate without training",
       .program = EvaluatorProgram::Train,
       .feature = "torch",
       .version = training_version,
       .is_of_machine = false,
       .fidelity_unit = "",
       .options = {"proxy", "batch"},
       .values = {},  // one value, named after option `proxy`
       .make = nullptr,
       .estimate = nullptr},
      {.name = kLegality,
       .purpose = "compares Fisher Potential with the original's under paired draws",
       .program = EvaluatorProgram::Train,
       .feature = "torch",
       .version = legality_version,
       .is_of_machine = false,
       .fidelity_unit = "",
       .options = {"of", "hooks", "draws", "most_draws", "batch", "confidence", "weights"},
       .values = {"legal", "confidence", "fisher_change", "changed_layers_change", "fisher_total",
                  "draws", "changed_layers", "sensitive_layers"},
       .make = nullptr,
       .estimate = nullptr},
      {.name = kLatency,
       .purpose = "compiles, checks and times the candidate",
       .program = EvaluatorProgram::Measure,
       .feature = "llvm",
       .version = latency_version,
       .is_of_machine = true,
       .fidelity_unit = "trials",
       .options = {"threads", "jobs", "seconds"},
       .values = {"latency", "speedup", "native_memory"},
       .make = latency_evaluator,
       .estimate = estimated_latency},
      {.name = kKernelSum,
       .purpose = "sums the times of the candidate's kernels, each timed once",
       .program = EvaluatorProgram::Measure,
       .feature = "llvm",
       .version = kernel_sum_version,
       .is_of_machine = true,
       .fidelity_unit = "trials",
       .options = {"threads", "jobs"},
       .values = {kKernelSumValue},  // and an estimate of the latency
       .make = kernel_sum_evaluator,
       .estimate = estimated_kernel_sum}};
  return all;
}

}  // namespace

std::span<const EvaluatorRow> evaluator_rows() {
  return rows();
}

const EvaluatorRow* find_evaluator(std::string_view name) {
  const auto found = std::find_if(rows().begin(), rows().end(),
                                  [&](const EvaluatorRow& row) { return row.name == name; });
  return found == rows().end() ? nullptr : &*found;
}

std::string evaluator_version(std::string_view name) {
  const EvaluatorRow* const row = find_evaluator(name);
  CAMBIUM_CHECK(row != nullptr, "an evaluator without a row");
  return row->version();
}

Status require_evaluator(const EvaluatorRow& row) {
  if (*row.feature == 0) return Ok{};
  return require_feature(row.feature);
}

Result<search::Offer> offer_of(const EvaluatorRow& row) {
  CAMBIUM_REQUIRE(require_evaluator(row));
  search::Offer offer;
  offer.version = row.version();
  if (row.is_of_machine) offer.machine = fingerprint_of(host_machine());
  return offer;
}

std::vector<std::string> evaluator_names(EvaluatorProgram program) {
  std::vector<std::string> names;
  for (const EvaluatorRow& row : rows()) {
    if (row.program == program) names.emplace_back(row.name);
  }
  return names;
}

std::vector<Evaluator> measuring_evaluators() {
  std::vector<Evaluator> evaluators;
  for (const EvaluatorRow& row : rows()) {
    if (row.make != nullptr) evaluators.push_back(row.make());
  }
  return evaluators;
}

std::string evaluator_list() {
  std::vector<std::string> names;
  for (const EvaluatorRow& row : rows()) names.emplace_back(row.name);
  return join(names, ", ");
}

std::string evaluator_help() {
  std::string text;
  for (const EvaluatorRow& row : rows()) {
    text += fmt::format("  {:<10} {}", row.name, row.purpose);
    if (!row.options.empty()) text += "; options: " + join(row.options, ", ");
    if (*row.fidelity_unit != 0) text += fmt::format("; fidelity: {}", row.fidelity_unit);
    text += "\n";
  }
  return text;
}

}  // namespace cambium::engine
