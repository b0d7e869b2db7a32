// The register tile of a contraction: how many rows and vectors of accumulators. More accumulators
// hide the latency of the fused multiply-add and save loads; what does not fit is spilled, which
// costs far more than it brings: there must be room for the accumulators, one vector each of the
// right operand, a broadcast and one more.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/draft.h"

namespace cambium::schedule {

struct RegisterTile {
  std::int64_t rows = 1;
  std::int64_t vectors = 1;
  std::int64_t lanes = 1;

  std::int64_t columns() const { return vectors * lanes; }
};

// The shapes worth trying for a result of `rows` by `columns` in elements of 4 bytes: by an
// estimate from the ceilings of the machine, none takes half as long again as the best, and the
// likelier a shape is drawn, the less it is estimated to take.
struct ResultShape {
  std::int64_t rows = 1, columns = 1;
  bool even_rows = false, even_columns = false;  // tiles must divide them
};
struct RegisterTiles {
  std::vector<MicroKernel> shapes;
  Ints weights;
  std::size_t best = 0;
  std::int64_t lanes = 1;

  RegisterTile tile(const MicroKernel& shape) const { return {shape.rows, shape.vectors, lanes}; }
};
RegisterTiles register_tiles(const Machine& machine, const ResultShape& result);

}  // namespace cambium::schedule
