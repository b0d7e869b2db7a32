// An operator as a sequence of stages, each a loop nest with one result, in the order of reductions
// and contractions that takes the fewest MACs over all bindings (ordering.h):
//
//   result[output] = sum over reductions of before[input] * weights[...]
//
// where `before` is the data or the result of the stage before it, and every index is a coordinate:
// an expression of the stage's loops, which are its output and reductions. Expects a legal
// operator; refuses sizes that are no integers in some binding, and what descent_of refuses.
// Lowerings, texts and costs all start from here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/binding.h"
#include "spaces/coordinate/lowering/descent.h"

namespace cambium::spaces::coordinate {

struct Stage {
  std::vector<CoordinateIndex> input;       // what indexes each axis of what is read
  std::vector<std::size_t> weights;         // of the operator; at least one unless it only sums
  std::vector<CoordinateIndex> reductions;  // summed here; those that no weight reads, averaged
  std::vector<CoordinateIndex> output;      // axes of the result, slowest first

  friend bool operator==(const Stage&, const Stage&) = default;
};

// At least one; the last one's output are the operator's outputs in order. A stage with neither
// weights nor reductions moves elements only; it is the last one, if it exists.
Result<std::vector<Stage>> stages_of(const Operator& op, std::span<const expr::Binding> bindings);

struct StagedCost {
  std::int64_t macs = 0;          // multiply-adds, as ordering.h counts them
  std::int64_t parameters = 0;    // elements of weights
  std::int64_t intermediate = 0;  // elements of results that are not the output

  friend bool operator==(const StagedCost&, const StagedCost&) = default;
};

// At one binding. Refuses SizeOverflow.
Result<StagedCost> cost_of(const Operator& op, std::span<const Stage> stages,
                           const expr::Binding& binding);

// The MACs of the best stages over all bindings, without making them: for whoever asks often.
Result<double> fewest_macs(const Operator& op, std::span<const expr::Binding> bindings);
// The bytes of input, output, weights and all results between those stages, four for each element,
// at the binding that takes most: places are run one after another.
Result<double> most_bytes(const Operator& op, std::span<const expr::Binding> bindings);

}  // namespace cambium::spaces::coordinate
