// How much code a program becomes, counted before any is made: schedules keep below what code
// generation takes, which refuses the rest (CodeTooLarge).
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "program/walk.h"

namespace cambium::program {

// The most operations of one kernel. More would not stay near the processor, and take seconds to
// compile.
inline constexpr std::int64_t kMostOperations = 20'000;

// How many operations the program has when its unrolled loops are written out, and vectorized ones
// as vectors of so many lanes.
std::int64_t written_operations(std::span<const Site> sites, std::int64_t lanes);

// Refuses CodeTooLarge.
Status check_code_size(const Program& program, std::int64_t lanes);

// The number of a hint, or what it is where there is none.
std::int64_t hint_of(Annotations annotations, Hint hint, std::int64_t otherwise = 0);

}  // namespace cambium::program
