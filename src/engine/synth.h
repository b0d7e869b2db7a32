// `cambium synth` between two shapes, with the coordinate space: draws, lists and counts operators,
// and explains one that is given as a document or by its name in the catalogue. Refuses shapes that
// cannot match, budgets that exclude everything, and illegal documents. For edits of a model by any
// space see engine/search/synth_space.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/synthesis/limits.h"
#include "spaces/coordinate/synthesis/sample.h"

namespace cambium::engine {

struct SynthOptions {
  std::string input, output;          // `[N, Ci, H, W]`
  std::vector<std::string> bindings;  // `N=1, Ci=64, ...`, one for each place
  spaces::coordinate::synthesis::Limits limits;
  std::vector<std::string> without;  // rules that are off
  bool exact_rules = false;          // only the exact rules are on
  bool even_windows = false;         // switches limits.odd_windows off

  // Budgets over all bindings: a number (`2e9`), or a share of the original (`0.5x`). The original
  // is an operator of the catalogue or a document's file; by default the first of the catalogue
  // with these shapes. Memory is in bytes, at the binding that takes most: input, output, weights,
  // and all results between stages. With limits.pad all costs are counted at padded sizes.
  std::string least_macs, most_macs, most_parameters, most_memory, original;
  // `H=0, Ci=2`: how often a variable may occur in reductions and weights (limits.h). By default
  // four times, but never for a variable that is an axis of both shapes, unless all are.
  std::string occurrences;

  std::uint64_t seed = 1;
  std::uint64_t count = 10;  // operators, each once
  std::uint64_t trials = 0;  // at most; 0: as many as it takes, within reason
  bool by_step = false;
  spaces::coordinate::synthesis::Guide guide = spaces::coordinate::synthesis::Guide::Exact;
};

// A limit that is a whole number, as an option of `cambium synth`.
struct SynthLimit {
  std::string option;   // `--max-merges`
  std::string meaning;  // for --help
  int least, most;
  int spaces::coordinate::synthesis::Limits::*limit;
};
std::vector<SynthLimit> synth_limits();

struct SynthOperator {
  std::string identity, text, equation;
  int primitives = 0;
  std::int64_t macs = 0, parameters = 0;  // over all bindings
  std::int64_t memory = 0;                // bytes, of the binding that takes most
};

struct SynthSummary {
  std::uint64_t trials = 0, valid = 0, over_budget = 0, dead_ends = 0, distinct = 0;
  std::uint64_t pruned = 0;  // choices of weights, finished or not, that bounds refused
  bool is_all = false;       // there are no other operators
  std::uint64_t states = 0, bytes = 0, applications = 0;
  double seconds = 0;
};

// Called with each operator as it is found. False ends the search.
using SynthUse = std::function<bool(const SynthOperator&)>;

// Random operators. Operators that compute the same function count as one.
Result<SynthSummary> sample_operators(const SynthOptions& options, const SynthUse& use);
// The operators of the space in the order of enumeration, at most `count`. Budgets apply; seeds and
// laws do not matter.
Result<SynthSummary> list_operators(const SynthOptions& options, const SynthUse& use);

struct SynthCount {
  std::uint64_t operators = 0, states = 0;
  std::vector<std::uint64_t> by_primitives;
};
// Exact, without budgets. Refuses (TooLarge) a space of more than `most_states`.
Result<SynthCount> count_operators(const SynthOptions& options, std::size_t most_states);

// Everything about one operator.
struct OperatorReport {
  SynthOperator op;
  std::shared_ptr<const nlohmann::json> document;
  std::string semantic;  // fingerprint of its function, or a note that it is too large
  std::string stages, loops, drawing;  // texts; the drawing is Graphviz's
  struct Place {
    std::string binding;
    std::int64_t macs = 0, parameters = 0, intermediate = 0;
  };
  std::vector<Place> places;
  std::vector<std::string> path;  // primitives from the output to the input
  std::string forbidden_by;       // the rule or limit that keeps it out of the space; or empty
  // Then the options of `cambium synth` that would admit it; empty: none are known.
  std::vector<std::string> options_needed;
};

// `what`: a name of the catalogue, a file, or `-` for standard input. Shapes and bindings come from
// the options if given, otherwise from the document and the catalogue.
Result<OperatorReport> explain_operator(const std::string& what, const SynthOptions& options);

// The catalogue of operators that have names.
struct KnownRow {
  std::string name, what, shapes;
  int primitives = 0;
};
std::vector<KnownRow> known_rows();

// docs/schema/synth.json.
nlohmann::json to_json(const std::vector<SynthOperator>& operators, const SynthSummary& summary);
nlohmann::json to_json(const SynthCount& count);
nlohmann::json to_json(const OperatorReport& report);
nlohmann::json to_json(const std::vector<KnownRow>& rows);

}  // namespace cambium::engine
