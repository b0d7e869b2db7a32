// The register tile of a contraction: its rows and vectors of accumulators. More accumulators hide
// the latency of the fused multiply-add and save loads, but spilling costs far more than that. The
// registers must hold the accumulators, one vector each of the right operand, a broadcast and one
// more.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/trace/draft.h"

namespace cambium::schedule {

struct RegisterTile {
  std::int64_t rows = 1;
  std::int64_t vectors = 1;
  std::int64_t lanes = 1;
  std::int64_t terms = 1;  // of the sum of one column, side by side in the lanes of a vector

  std::int64_t columns() const { return vectors * lanes / terms; }
};

// The shapes worth trying for a result of `rows` by `columns` in elements of 4 bytes: by an
// estimate from the ceilings of the machine, none takes half as long again as the best, and the
// likelier a shape is drawn, the less it is estimated to take.
struct ResultShape {
  std::int64_t rows = 1, columns = 1;
  bool even_rows = false, even_columns = false;  // tiles must divide them
  // With several terms of a sum side by side in a vector, columns that would fill a part of one
  // fill all of it. The tile then has all columns, and what its lanes hold is added up in the end.
  std::int64_t terms = 1;
  std::int64_t sum = 1;            // all terms of one result
  bool packs_in_each_run = false;  // the right operand in the order of the terms: it is no constant
};
struct RegisterTiles {
  std::vector<MicroKernel> shapes;
  Ints weights;
  std::size_t best = 0;
  double cost = 0;  // of the best, for a step of the whole result; infinite: there is none
  std::int64_t lanes = 1, terms = 1;

  RegisterTile tile(const MicroKernel& shape) const {
    return {shape.rows, shape.vectors, lanes, terms};
  }
};
RegisterTiles register_tiles(const Machine& machine, const ResultShape& result);

}  // namespace cambium::schedule
