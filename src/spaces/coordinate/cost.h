// What an operator costs at least, from its equations alone: no way to order its contractions and
// reductions takes fewer MACs. Exact costs come from lowering/stages.h; this is for whoever prunes.
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
  // Multiply-adds, at least. A stage with several weights counts once for each. Every weight meets,
  // in its stage, whatever later growth (unfolds, expansions) and later sums leave: the least over
  // all choices of what is later, exactly. Without weights, a reduction reads the input once.
  double macs = 0;
  // Elements read and written, at least: input, weights and output.
  double traffic() const {
    return static_cast<double>(parameters) + static_cast<double>(input) +
           static_cast<double>(output);
  }

  friend bool operator==(const CostBounds&, const CostBounds&) = default;
};

// Refuse what `bind` refuses, and sums beyond 64 bits.
Result<CostBounds> cost_bounds(const Operator& op, const expr::Binding& binding);
// Summed over all bindings: an operator stands at all places at once.
Result<CostBounds> cost_bounds(const Operator& op, std::span<const expr::Binding> bindings);

}  // namespace cambium::spaces::coordinate
