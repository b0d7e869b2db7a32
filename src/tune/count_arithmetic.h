// Counts the operations of one instance of a block, by kind and as multiply-adds of the same
// throughput. It counts like a code generator: conditions that unrolling decides cost nothing, and
// terms that are known to add nothing are skipped. Called by analysis.cpp.
#pragma once

#include <cstdint>

#include "tune/analysis.h"
#include "tune/index_reach.h"

namespace cambium::tune {

struct Counted {
  Arithmetic arithmetic;
  double useful = 1;  // share of the iterations that must be computed
};

// Sets of loops as bits: `unrolled` has the loops that become numbers in the code, `lanes` the
// vectorized loop.
Counted count_arithmetic(const program::Body& body, const ReachReader& reader,
                         std::uint32_t unrolled, std::uint32_t lanes);

}  // namespace cambium::tune
