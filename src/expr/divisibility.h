// Facts about remainders: whether an expression is a multiple of a size, or has a known remainder
// for a number. Vectorization uses them for alignment, and rewrite rules in their guards.
#pragma once

#include <cstdint>

#include "expr/context.h"

namespace cambium::expr {

// Whether c divides e for all axes and sizes; "no" may mean "not proved".
bool provably_divisible(const Context& cx, Expr e, const Monomial& c);

// e = modulus*k + remainder for some integer k. Modulus 0: e is the remainder; 1: nothing known.
struct Residue {
  std::int64_t modulus = 1;
  std::int64_t remainder = 0;  // in 0..modulus-1 unless the modulus is 0

  friend bool operator==(const Residue&, const Residue&) = default;
};
Residue residue_of(Expr e);

}  // namespace cambium::expr
