// An operator as a sequence of stages. Each stage is a loop nest with one result. Reductions and
// contractions have the order with the fewest MACs over all bindings (ordering.h):
//
//   result[output] = sum over reductions of before[input] * weights[...]
//
// where `before` is the data or the result of the previous stage, and every index is a coordinate:
// an expression of the stage's loops, which are its output and reductions. Expects a legal
// operator. Refuses sizes that are not an integer in some binding, and what descent_of refuses.
// Lowerings, texts and costs all start from stages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/binding.h"
#include "spaces/coordinate/lowering/descent.h"

namespace cambium::spaces::coordinate {

struct Stage {
  std::vector<CoordinateIndex> input;  // the index of each axis that is read
  std::vector<std::size_t> weights;    // of the operator; none only if the stage just sums or moves
  std::vector<CoordinateIndex> reductions;  // summed here, or averaged if no weight reads them
  std::vector<CoordinateIndex> output;      // axes of the result, slowest first

  friend bool operator==(const Stage&, const Stage&) = default;
};

// There is at least one stage. The output of the last one is the operator's outputs in order. A
// stage without weights and reductions only moves elements; if there is one, it is the last.
Result<std::vector<Stage>> stages_of(const Operator& op, std::span<const expr::Binding> bindings);

struct StagedCost {
  std::int64_t macs = 0;          // multiply-adds, as ordering.h counts them
  std::int64_t parameters = 0;    // elements of weights
  std::int64_t intermediate = 0;  // elements of all results but the output

  friend bool operator==(const StagedCost&, const StagedCost&) = default;
};

// At one binding. Refuses SizeOverflow.
Result<StagedCost> cost_of(const Operator& op, std::span<const Stage> stages,
                           const expr::Binding& binding);

// The MACs of the best stages over all bindings, computed without making the stages: for many
// calls.
Result<double> fewest_macs(const Operator& op, std::span<const expr::Binding> bindings);
// The bytes of input, output, weights and all results between the best stages, four for each
// element, at the binding that needs most, because places run one after another.
Result<double> most_bytes(const Operator& op, std::span<const expr::Binding> bindings);

}  // namespace cambium::spaces::coordinate
