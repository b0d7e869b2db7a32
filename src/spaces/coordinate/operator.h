// Operator: a linear operator written as coordinates. With outputs o and reductions r,
//
//   Y[o] = sum over r of X[data(o, r)] * W1[...] * W2[...] ...
//
// where every index is a coordinate: an expression of o and r that primitives built. A term counts
// as zero if the coordinate of an UNFOLD lies outside its domain. A sum over a reduction that no
// weight depends on is an average, as in pooling. An Operator is plain data: it holds symbolic
// sizes, means the same in every context, and fits all bindings of its Problem.
//
// Coordinates, bottom (near the output) to top (near the input), as the paper writes them:
//   Output              [o]: [N]            an axis of the output
//   Reduce              [r]: [N]            summed over
//   Split      (i, j)   [B*i + j]: [G*B]    i: [G], j: [B]
//   MergeHigh  (i), B   [i / B]: [N / B]    always together with
//   MergeLow   (i), B   [i % B]: [B]
//   Shift      (i)      [(i + 1) % N]: [N]
//   Unfold     (i, j)   [i + j - c]: [N]    i: [N], j: [K]; c is the middle of the values of j:
//                                           K/2, or S*(K-1)/2 rounded up if j is strided by S
//   Stride     (i), S   [S * i]: [S * N]
// An EXPAND is a coordinate that no index of the data reads; a SHARE is one that a weight reads
// too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "expr/size.h"
#include "spaces/coordinate/kinds.h"

namespace cambium::spaces::coordinate {

// A place in Operator::coordinates.
using CoordinateIndex = std::int32_t;
inline constexpr CoordinateIndex kNoCoordinate = -1;
inline std::size_t place_of(CoordinateIndex i) {
  return static_cast<std::size_t>(i);
}

struct Coordinate {
  CoordinateKind kind = CoordinateKind::Output;
  CoordinateIndex first = kNoCoordinate, second = kNoCoordinate;  // operands; they stand earlier
  expr::Size domain;                                              // values are 0 .. domain - 1
  expr::Size parameter;  // block B of a MERGE, step S of a STRIDE; one otherwise

  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};

struct Operator {
  // Outputs first, in the order of the axes; then reductions; then the others, each after its
  // operands.
  std::vector<Coordinate> coordinates;
  std::vector<CoordinateIndex> data;                  // what indexes each axis of the input
  std::vector<std::vector<CoordinateIndex>> weights;  // what indexes each axis of each weight

  friend bool operator==(const Operator&, const Operator&) = default;
};

}  // namespace cambium::spaces::coordinate
