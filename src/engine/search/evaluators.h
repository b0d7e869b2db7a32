// The registry of evaluators: one row for each evaluator that workers run. A row says what the
// evaluator is called, which program runs it, what it needs, which options it takes, which values
// it answers and what its fidelity counts. The search, the workers, replays and the command line
// read these rows; nothing else lists evaluators. docs/howto/add_evaluator.md shows how to add one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/search/evaluator.h"
#include "search/evaluations.h"
#include "search/executor.h"
#include "study/metric.h"

namespace cambium::engine {

inline constexpr const char* kAccuracy = study::kAccuracyEvaluator;
inline constexpr const char* kProxy = "proxy";
inline constexpr const char* kLegality = study::kLegalityEvaluator;
inline constexpr const char* kLatency = study::kLatencyEvaluator;
inline constexpr const char* kKernelSum = "kernel-sum";
inline constexpr const char* kKernelSumValue = "kernel_sum";  // its value, in seconds

// The program whose workers run an evaluator. `Measure` is cambium: its jobs get the machine for
// themselves. `Train` is cambium-train, which links libtorch.
enum class EvaluatorProgram : std::uint8_t { Train, Measure };

struct EvaluatorRow {
  const char* name;
  const char* purpose;  // a verb phrase for --help: "trains the candidate"
  EvaluatorProgram program;
  const char* feature;        // that the build must have (base/features.h); empty: none
  std::string (*version)();   // part of the key: change it when results change
  bool is_of_machine;         // whether results depend on the machine
  const char* fidelity_unit;  // what the fidelity counts: "epochs"; empty: the fidelity is unused
  std::vector<std::string> options;  // the names that the JSON options may have
  std::vector<std::string> values;   // that it answers, metrics first
  // Null for evaluators of cambium-train, which training_evaluators() implements.
  Evaluator (*make)();
  // Estimates the values while the evaluator is missing. Null: there is no estimate.
  search::Estimates (*estimate)(const model::Model& model, int threads);
};

std::span<const EvaluatorRow> evaluator_rows();
const EvaluatorRow* find_evaluator(std::string_view name);  // null: there is none
std::string evaluator_version(std::string_view name);       // of a row that must exist

// Refuses Unavailable when the build lacks the feature of the row.
Status require_evaluator(const EvaluatorRow& row);
// What the evaluator offers on this machine. Refuses Unavailable when the build lacks its feature.
Result<search::Offer> offer_of(const EvaluatorRow& row);

std::vector<std::string> evaluator_names(EvaluatorProgram program);
std::vector<Evaluator> measuring_evaluators();  // those that have a `make`

// "accuracy, proxy, latency", for help texts.
std::string evaluator_list();
// One line for each row: its purpose, options, values and the unit of its fidelity.
std::string evaluator_help();

}  // namespace cambium::engine
