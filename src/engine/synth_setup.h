// From the options of `cambium synth` to what synthesis takes: the problem, limits, budgets and the
// space; and the costs of operators, padded where that is asked for. The parts of engine/synth.cpp
// that refuse options.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/synth.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/synthesis/budgets.h"
#include "spaces/coordinate/synthesis/space.h"

namespace cambium::engine {

// The text of a document: of the catalogue's operator, standard input (`-`) or a file.
Result<std::string> synth_document(const std::string& what);

// Between the shapes of the options, at their bindings. With padding the shapes need not be whole
// there, but with some padding they must be.
Result<spaces::coordinate::Problem> synth_problem(const SynthOptions& options);

// Reads a document. With padding its sizes need not be whole at the bindings.
Result<spaces::coordinate::Operator> parse_operator(const spaces::coordinate::Problem& problem,
                                                    const std::string& document, bool pad);

// What the problem's bindings become for an operator: with padding the least ones at which all its
// sizes are whole.
Result<std::vector<expr::Binding>> bindings_for(const spaces::coordinate::Problem& problem,
                                                const spaces::coordinate::Operator& op, bool pad);

// At those bindings, over all of them but for memory, which is that of the greatest.
struct SynthCost {
  std::int64_t macs = 0, parameters = 0;
  double memory = 0;
};
Result<SynthCost> cost_of(const spaces::coordinate::Problem& problem,
                          const spaces::coordinate::Operator& op, bool pad);

Result<spaces::coordinate::synthesis::Budgets> budgets_of(
    const SynthOptions& options, const spaces::coordinate::Problem& problem);

Result<std::unique_ptr<spaces::coordinate::synthesis::Space>> space_of(
    const SynthOptions& options, spaces::coordinate::Problem problem);

// A problem for whoever asks what operators compute, whatever they divide by: with padding its
// variables are multiples of all that primitives divide by, and of its square if that is no more
// than a million.
spaces::coordinate::Problem divisible(const spaces::coordinate::Problem& problem, bool pad);

}  // namespace cambium::engine
