// Problems with padding, where `pad` says so: sizes need be whole only once variables have grown
// (padding.h). Which bindings those are depends on the operator, and so do its costs. Without
// padding everything is as at the problem's own bindings. Refuses what padding, documents and
// stages refuse.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// With padding the shapes must be whole only after some padding.
Result<Problem> problem_of(std::string_view input, std::string_view output,
                           std::span<const std::string> bindings, bool pad);

// Reads a document. With padding its sizes may be fractions at the bindings.
Result<Operator> parse(const Problem& problem, std::string_view document, bool pad);

// The bindings of the problem for an operator; with padding the smallest ones at which all its
// sizes are whole.
Result<std::vector<expr::Binding>> bindings_for(const Problem& problem, const Operator& op,
                                                bool pad);

// At these bindings. MACs and parameters are sums over all of them; memory is the greatest.
struct SummedCost {
  std::int64_t macs = 0, parameters = 0;
  double memory = 0;
};
Result<SummedCost> cost_of(const Problem& problem, const Operator& op, bool pad);

// The parameters of the best stages, summed over all bindings. The other costs are in stages.h.
Result<double> parameters_of(const Operator& op, std::span<const expr::Binding> bindings);

// A cost at the bindings for the operator. What cannot be padded has no cost.
using TrueCost = std::function<Result<double>(const Operator&, std::span<const expr::Binding>)>;
TrueCost priced(const Problem& problem, bool pad, TrueCost cost);

// A problem at which every operator can be evaluated: with padding its variables are multiples of
// all numbers that primitives divide by, and of the square of that if it is at most a million.
Problem divisible(const Problem& problem, bool pad);

}  // namespace cambium::spaces::coordinate
