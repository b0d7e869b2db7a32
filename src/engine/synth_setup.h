// Turns the options of `cambium synth` into the problem, limits, budgets and space of a synthesis,
// and gives the costs of operators, padded if asked. Refuses bad options for engine/synth.cpp.
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

// The problem between the shapes of the options, at their bindings. With padding the shapes must be
// whole only after some padding.
Result<spaces::coordinate::Problem> synth_problem(const SynthOptions& options);

// Reads a document. With padding its sizes may be fractions at the bindings.
Result<spaces::coordinate::Operator> parse_operator(const spaces::coordinate::Problem& problem,
                                                    const std::string& document, bool pad);

// The bindings of the problem for an operator; with padding the smallest ones at which all its
// sizes are whole.
Result<std::vector<expr::Binding>> bindings_for(const spaces::coordinate::Problem& problem,
                                                const spaces::coordinate::Operator& op, bool pad);

// At these bindings. MACs and parameters are sums over all of them; memory is the greatest.
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

// A problem at which every operator can be evaluated: with padding its variables are multiples of
// all numbers that primitives divide by, and of the square of that if it is at most a million.
spaces::coordinate::Problem divisible(const spaces::coordinate::Problem& problem, bool pad);

}  // namespace cambium::engine
