// The operations of one instance of a block, by kind and in multiply-adds of the same throughput,
// as code generators make them: conditions that unrolling decides cost nothing, and what is known
// to add nothing is skipped. Called by analysis.cpp.
#pragma once

#include <cstdint>

#include "tune/analysis.h"
#include "tune/index_reach.h"

namespace cambium::tune {

struct Counted {
  Arithmetic arithmetic;
  double useful = 1;  // share of the iterations that have to be computed
};

// Bits of loops: `unrolled` are numbers in the code, `lanes` the vectorized one.
Counted count_arithmetic(const program::Body& body, const ReachReader& reader,
                         std::uint32_t unrolled, std::uint32_t lanes);

}  // namespace cambium::tune
