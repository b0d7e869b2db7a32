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
  std::int64_t terms = 1;  // number of terms of one sum, side by side in the lanes of a vector

  std::int64_t columns() const { return vectors * lanes / terms; }
};

// The tile shapes to try for a result of `rows` by `columns` elements of 4 bytes. Their times are
// estimated from the ceilings of the machine. Shapes that take 1.5 times as long as the best are
// left out, and faster shapes are drawn more often.
struct ResultShape {
  std::int64_t rows = 1, columns = 1;
  bool even_rows = false, even_columns = false;  // tiles must divide them
  // With several terms of a sum side by side, a few columns fill a whole vector. The tile then has
  // all columns, and lanes of one column are added in the end.
  std::int64_t terms = 1;
  std::int64_t sum = 1;            // all terms of one result
  bool packs_in_each_run = false;  // the right operand is not constant, so every run packs it
};
struct RegisterTiles {
  std::vector<MicroKernel> shapes;
  Ints weights;
  std::size_t best = 0;
  double cost = 0;  // of the best, for one step of the reduction over the whole result; infinite:
                    // no shape fits
  std::int64_t lanes = 1, terms = 1;

  RegisterTile tile(const MicroKernel& shape) const {
    return {shape.rows, shape.vectors, lanes, terms};
  }
};
RegisterTiles register_tiles(const Machine& machine, const ResultShape& result);

}  // namespace cambium::schedule
