// Lower bounds on the costs of an operator, from its equations alone: no order of its contractions
// and reductions takes fewer MACs. Pruning uses them. Exact costs come from lowering/stages.h.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

struct CostBounds {
  std::int64_t parameters = 0;  // elements of all weights
  std::int64_t input = 0;       // elements
  std::int64_t output = 0;
  // A lower bound on multiply-adds. A stage with several weights counts once for each. The stage of
  // a weight has the elements that remain without later growth (unfolds, expansions) and with later
  // sums. The bound is the exact least over all choices of what comes later. Without weights, a
  // reduction reads the input once.
  double macs = 0;
  // A lower bound on elements read and written: input, weights and output.
  double traffic() const {
    return static_cast<double>(parameters) + static_cast<double>(input) +
           static_cast<double>(output);
  }

  friend bool operator==(const CostBounds&, const CostBounds&) = default;
};

// Both refuse what `bind` refuses, and sums beyond 64 bits.
Result<CostBounds> cost_bounds(const Operator& op, const expr::Binding& binding);
// The sum over all bindings, because an operator stands at all places at once.
Result<CostBounds> cost_bounds(const Operator& op, std::span<const expr::Binding> bindings);

}  // namespace cambium::spaces::coordinate
