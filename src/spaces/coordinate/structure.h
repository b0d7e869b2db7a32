// What follows from the equations of an operator without sizes: who reads each coordinate, what
// each depends on, which reductions average, how many primitives built it. Takes any operator whose
// places are in order (`is_ordered`), disciplined or not; the checks themselves stand on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// Beyond these, documents are refused: sets of leaves and of weights are kept as bits.
inline constexpr std::size_t kMaxReductions = 32;
inline constexpr std::size_t kMaxWeights = 16;
inline constexpr std::size_t kMaxCoordinates = 256;

// Outputs first, then reductions, then the others after their operands; every index in range.
bool is_ordered(const Operator& op);

struct Use {
  // How often the data path consumes it: once, or never if it is expanded. A MERGE is one use.
  int consumptions = 0;
  CoordinateIndex consumer =
      kNoCoordinate;          // what the last of them makes; the high half of a MERGE
  int axis = -1;              // or the axis of the input that it indexes
  std::uint32_t weights = 0;  // which weights read it, as bits
};
std::vector<Use> uses_of(const Operator& op);

// What neither the data nor a weight reads: an EXPAND by itself.
std::vector<CoordinateIndex> expanded_alone(const Operator& op);

std::size_t output_count(const Operator& op);
std::size_t reduction_count(const Operator& op);

// The outputs and reductions that each coordinate is made of, as bits by their place.
std::vector<std::uint64_t> leaves_of(const Operator& op);
// The reductions that no weight depends on, as bits by place: sums over them are averages.
std::uint64_t averaged_reductions(const Operator& op);

// Reductions, weights (a CONTRACTION each), SPLITs, MERGEs, SHIFTs, UNFOLDs, STRIDEs and the
// EXPANDs that are part of no contraction.
int primitive_count(const Operator& op);

std::string_view name_of(CoordinateKind kind);  // the primitive: SPLIT, MERGE for both halves, ...

// The documents' word for a view, such as `unfold`, and back.
std::string_view word_of(CoordinateKind kind);  // empty for outputs and reductions
std::optional<CoordinateKind> view_named(std::string_view word);

// What outputs and reductions are called, by place. Derived: an output is named after the variable
// of its size (n, co, h), reductions are r1, r2, ...
using LeafNames = std::vector<std::string>;
LeafNames derived_names(const Problem& problem, const Operator& op);

// `unfold(h, r1)`; what the document format says.
std::string coordinate_text(const Problem& problem, const Operator& op, const LeafNames& names,
                            CoordinateIndex index);

}  // namespace cambium::spaces::coordinate
