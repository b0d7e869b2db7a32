// Sums and products of counts (>= 0) that saturate at 2^63 - 1 instead of overflowing.
#pragma once

#include <cstdint>
#include <limits>

namespace cambium::model {

inline std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

}  // namespace cambium::model
