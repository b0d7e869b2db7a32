#include "schedule/defaults/register_tile.h"

#include <algorithm>
#include <limits>

namespace cambium::schedule {
namespace {

// Cycles per step of the reduction that a tile of rows x vectors takes, in units of one fused
// multiply-add: bound by the multiply-adds, by the loads (one per vector, one broadcast per row),
// or by the latency of an accumulator's chain, whichever is largest.
double step_cost(std::int64_t rows, std::int64_t vectors) {
  constexpr double kLoadsPerFma = 0.55;  // beside a multiply-add, on the slowest loads we saw
  constexpr double kLatency = 8;         // multiply-adds in flight
  const double fmas = static_cast<double>(rows * vectors);
  const double loads = static_cast<double>(rows + vectors) / kLoadsPerFma;
  constexpr double kOverhead = 0.5;  // of the loop itself
  return std::max({fmas, loads, kLatency}) + kOverhead;
}

// A whole result: full tiles and what is left over at the edges.
double cost(std::int64_t rows, std::int64_t columns, const RegisterTile& tile) {
  double sum = 0;
  const std::int64_t wide = (columns + tile.lanes - 1) / tile.lanes;
  for (const auto& [vectors, times_v] : {std::pair{tile.vectors, wide / tile.vectors},
                                         std::pair{wide % tile.vectors, std::int64_t{1}}}) {
    if (vectors == 0) continue;
    for (const auto& [height, times_r] :
         {std::pair{tile.rows, rows / tile.rows}, std::pair{rows % tile.rows, std::int64_t{1}}}) {
      if (height == 0) continue;
      sum += static_cast<double>(times_v * times_r) * step_cost(height, vectors);
    }
  }
  return sum;
}

}  // namespace

RegisterTile register_tile(const Machine& machine, std::int64_t rows, std::int64_t columns) {
  RegisterTile best;
  double least = std::numeric_limits<double>::infinity();
  const std::int64_t lanes = std::min(machine.lanes(), columns);
  // Of 32 registers two are left alone: with less room the allocator begins to spill.
  const std::int64_t usable =
      std::min(machine.vector_registers, 16) + std::max(machine.vector_registers - 18, 0);
  for (std::int64_t vectors = 1; vectors <= 8; ++vectors) {
    if ((vectors - 1) * lanes >= columns) break;
    for (std::int64_t height = 1; height <= std::min<std::int64_t>(rows, 24); ++height) {
      if (height * vectors + vectors + 2 > usable) break;
      const RegisterTile tile{height, vectors, lanes};
      const double estimate = cost(rows, columns, tile);
      if (estimate < least * 0.999) {
        least = estimate;
        best = tile;
      }
    }
  }
  return best;
}

}  // namespace cambium::schedule
