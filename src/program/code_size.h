// Estimates the code size of a program before code is generated. Code generation refuses programs
// that are too large (CodeTooLarge), and schedules stay below its limit.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "program/walk.h"

namespace cambium::program {

// The most operations of one kernel. Larger code does not fit into the instruction cache, and takes
// seconds to compile.
inline constexpr std::int64_t kMostOperations = 20'000;

// The number of operations after unrolled loops are written out and vectorized loops become vectors
// of `lanes` lanes.
std::int64_t written_operations(std::span<const Site> sites, std::int64_t lanes);

// Refuses CodeTooLarge.
Status check_code_size(const Program& program, std::int64_t lanes);

// The number of a hint, or `otherwise` if it is missing.
std::int64_t hint_of(Annotations annotations, Hint hint, std::int64_t otherwise = 0);

}  // namespace cambium::program
