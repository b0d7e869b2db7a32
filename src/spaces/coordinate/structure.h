// What follows from the equations of an operator without sizes: what reads each coordinate, what
// each depends on, which reductions average, how many primitives built it. Takes any operator whose
// places are in order (`is_ordered`), legal or not, because the checks themselves use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// Documents beyond these are refused, because sets of leaves and of weights are kept as bits.
inline constexpr std::size_t kMaxReductions = 32;
inline constexpr std::size_t kMaxWeights = 16;
inline constexpr std::size_t kMaxCoordinates = 256;

// Whether outputs come first, then reductions, then the others after their operands, and every
// index is in range.
bool is_ordered(const Operator& op);

struct Use {
  // How often the data path consumes it: once, or never if it is expanded. A MERGE counts as one.
  int consumptions = 0;
  CoordinateIndex consumer =
      kNoCoordinate;          // the result of the last consumer; for a MERGE its high half
  int axis = -1;              // or the axis of the input that it indexes
  std::uint32_t weights = 0;  // which weights read it, as bits
};
std::vector<Use> uses_of(const Operator& op);

// Coordinates that neither the data nor a weight reads: each is an EXPAND by itself.
std::vector<CoordinateIndex> expanded_alone(const Operator& op);

std::size_t output_count(const Operator& op);
std::size_t reduction_count(const Operator& op);

// The outputs and reductions that each coordinate is made of, one bit for each place.
std::vector<std::uint64_t> leaves_of(const Operator& op);
// The reductions that no weight depends on, one bit for each place: sums over them are averages.
std::uint64_t averaged_reductions(const Operator& op);

// The number of primitives. Each weight is one CONTRACTION; an EXPAND counts unless a weight reads
// the coordinate.
int primitive_count(const Operator& op);

// The domain that a coordinate's operands give it; its own for a leaf. Refuses products and
// quotients that are no size.
Result<expr::Size> made_domain(const Operator& op, const Coordinate& c);

// Names of outputs and reductions, by place. Derived names: an output is named after the variable
// of its size (n, co, h), reductions are r1, r2, ...
using LeafNames = std::vector<std::string>;
LeafNames derived_names(const Problem& problem, const Operator& op);

// `unfold(h, r1)`, as in documents.
std::string coordinate_text(const Problem& problem, const Operator& op, const LeafNames& names,
                            CoordinateIndex index);

}  // namespace cambium::spaces::coordinate
