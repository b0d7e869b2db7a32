#include "schedule/rules/register_tile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace cambium::schedule {
namespace {

// Loads beside one multiply-add; where nothing was measured, on the slowest loads we saw.
double loads_per_fma(const Machine& machine) {
  if (!machine.ceilings || machine.ceilings->fma_gflops <= 0 ||
      machine.ceilings->loads_per_ns <= 0) {
    return 0.55;
  }
  const double fmas = machine.ceilings->fma_gflops / (2.0 * static_cast<double>(machine.lanes()));
  return std::clamp(machine.ceilings->loads_per_ns / fmas, 0.3, 2.0);
}

// Cycles per step of the reduction that a tile of rows x vectors takes, in units of one fused
// multiply-add: bound by the multiply-adds, by the loads (one per vector, one broadcast per row),
// or by the latency of an accumulator's chain, whichever is largest. Of two shapes bound by the
// same, the one with fewer loads.
double step_cost(std::int64_t rows, std::int64_t vectors, double loads_beside) {
  constexpr double kLatency = 8;      // multiply-adds in flight
  constexpr double kOverhead = 0.5;   // of the loop itself
  constexpr double kEachLoad = 0.02;  // of what loads take from the others
  const double fmas = static_cast<double>(rows * vectors);
  const double loads = static_cast<double>(rows + vectors);
  return std::max({fmas, loads / loads_beside, kLatency}) + kOverhead + kEachLoad * loads;
}

// A whole result: full tiles and what is left over at the edges.
double cost(std::int64_t rows, std::int64_t columns, const RegisterTile& tile,
            double loads_beside) {
  double sum = 0;
  const std::int64_t wide = (columns + tile.lanes - 1) / tile.lanes;
  for (const auto& [vectors, times_v] : {std::pair{tile.vectors, wide / tile.vectors},
                                         std::pair{wide % tile.vectors, std::int64_t{1}}}) {
    if (vectors == 0) continue;
    for (const auto& [height, times_r] :
         {std::pair{tile.rows, rows / tile.rows}, std::pair{rows % tile.rows, std::int64_t{1}}}) {
      if (height == 0) continue;
      sum += static_cast<double>(times_v * times_r) * step_cost(height, vectors, loads_beside);
    }
  }
  return sum;
}

// The lanes of a vector: those of a register, or of a part of one that is a power of two, since
// others are made of several. Where tiles must divide the columns, a vector holds all of them or
// the largest such part that divides them.
std::int64_t lanes_for(const Machine& machine, std::int64_t columns, bool is_even) {
  if (is_even && columns < machine.lanes()) return columns;
  if (is_even) return std::gcd(machine.lanes(), columns);
  if (columns >= machine.lanes()) return machine.lanes();
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(columns)));
}

// Adding up the lanes of a result, beside a step of its reduction.
double cost_of_adding_up(std::int64_t rows, std::int64_t vectors, const ResultShape& result) {
  constexpr double kEach = 4;  // of shuffles and additions for a vector of accumulators
  if (result.terms == 1) return 0;
  return kEach * static_cast<double>(rows * vectors) / static_cast<double>(result.sum);
}

// Moving the terms of all columns to where their lanes are, beside a step of the reduction.
double cost_of_packing(const ResultShape& result) {
  constexpr double kEach = 1;  // an element at a time
  if (result.terms == 1 || !result.packs_in_each_run) return 0;
  return kEach * static_cast<double>(result.columns);
}

}  // namespace

RegisterTiles register_tiles(const Machine& machine, const ResultShape& result) {
  const std::int64_t rows = result.rows, columns = result.columns * result.terms;
  RegisterTiles tiles;
  tiles.terms = result.terms;
  tiles.lanes = lanes_for(machine, columns, result.even_columns);
  const double loads_beside = loads_per_fma(machine);
  double least = std::numeric_limits<double>::infinity();
  // Of 32 registers two are left alone: with less room the allocator begins to spill.
  const std::int64_t usable =
      std::min(machine.vector_registers, 16) + std::max(machine.vector_registers - 18, 0);
  std::vector<double> costs;
  std::vector<MicroKernel> shapes;
  for (std::int64_t vectors = 1; vectors <= 8; ++vectors) {
    if ((vectors - 1) * tiles.lanes >= columns) break;
    if (result.terms > 1 && vectors * tiles.lanes < columns) continue;
    if (result.even_columns && columns % (vectors * tiles.lanes) != 0) continue;
    for (std::int64_t height = 1; height <= std::min<std::int64_t>(rows, 24); ++height) {
      // With terms in lanes, the fewer of the operands stay in registers, whichever these are.
      const std::int64_t operands = result.terms > 1 ? std::min(height, vectors) : vectors;
      if (height * vectors + operands + 2 > usable) break;
      if (result.even_rows && rows % height != 0) continue;
      shapes.push_back({height, vectors});
      const double steps = cost(rows, columns, {height, vectors, tiles.lanes}, loads_beside);
      costs.push_back(steps / static_cast<double>(result.terms) +
                      cost_of_adding_up(rows, vectors, result) + cost_of_packing(result));
      least = std::min(least, costs.back());
    }
  }
  constexpr double kWorst = 1.5;      // of the best: slower ones are not worth a measurement
  constexpr double kSteepness = 8.0;  // how fast the weight falls with the estimate
  tiles.cost = least;
  double taken = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (costs[i] > kWorst * least) continue;
    if (costs[i] < taken * 0.999) {
      taken = costs[i];
      tiles.best = tiles.shapes.size();
    }
    tiles.shapes.push_back(shapes[i]);
    tiles.weights.push_back(
        std::max<std::int64_t>(1, std::llround(1000 * std::pow(least / costs[i], kSteepness))));
  }
  return tiles;
}

}  // namespace cambium::schedule
