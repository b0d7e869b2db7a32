// The register tile of a contraction: how many rows and vectors of accumulators. More accumulators
// hide the latency of the fused multiply-add and save loads; what does not fit is spilled, which
// costs far more than it brings: there must be room for the accumulators, one vector each of the
// right operand, a broadcast and one more.
#pragma once

#include <cstdint>

#include "base/machine.h"

namespace cambium::schedule {

struct RegisterTile {
  std::int64_t rows = 1;
  std::int64_t vectors = 1;
  std::int64_t lanes = 1;

  std::int64_t columns() const { return vectors * lanes; }
};

// For a result of `rows` by `columns`, in elements of 4 bytes.
RegisterTile register_tile(const Machine& machine, std::int64_t rows, std::int64_t columns);

}  // namespace cambium::schedule
