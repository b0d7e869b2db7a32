// Proofs about index expressions under conditions: first by intervals, then by one linear fact at a
// time, then by visiting every point of small domains. "Unknown" does not mean false.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "program/context.h"

namespace cambium::program {

enum class Proof : std::uint8_t { Yes, No, Unknown };

inline Proof both(Proof a, Proof b) {
  if (a == Proof::No || b == Proof::No) return Proof::No;
  return a == Proof::Yes ? b : a;
}

struct Within {
  Proof proof;
  std::int64_t value = 0;  // for No: a value that lies outside
};

// Whether lo <= e < hi for all axes in range for which all facts hold.
Within stays_within(Context& cx, Expr e, std::int64_t lo, std::int64_t hi,
                    std::span<const Expr> facts);

// Whether x <= y for all axes in range, by linear arithmetic alone.
bool provably_at_most(Context& cx, Expr x, Expr y);

// Whether a fact is equivalent to lo <= e < hi, by linear arithmetic alone.
bool only_bounds(Context& cx, Expr fact, Expr e, std::int64_t lo, std::int64_t hi);

}  // namespace cambium::program
