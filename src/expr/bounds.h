// Bounds whose ends are sizes: 0 <= i*W + j <= H*W - 1. Proves that a difference is not negative,
// for all positive sizes or, in a context with bindings, in each of them. A statement whose proof
// fails may still be true.
#pragma once

#include <array>
#include <optional>

#include "expr/context.h"
#include "expr/linear.h"

namespace cambium::expr {

// A sum of constants. It holds only a few terms, since bounds with many prove nothing in practice.
class Polynomial {
 public:
  std::span<const Monomial> terms() const { return {terms_.data(), size_}; }
  [[nodiscard]] bool add(const Monomial& term);
  [[nodiscard]] bool add_scaled(const Polynomial& other, const Monomial& scale);

 private:
  static constexpr std::size_t kRoom = 8;
  std::array<Monomial, kRoom> terms_;
  std::size_t size_ = 0;
};

// The ends of an expression. An unknown end is absent.
struct SizeRange {
  std::optional<Polynomial> lo, hi;
};
const SizeRange& size_range(Context& cx, Expr e);

bool provably_not_negative(const Context& cx, const Polynomial& p);
bool provably_not_negative(Context& cx, const Linear& difference);
bool provably_less(Context& cx, Expr x, Expr y);        // x < y wherever both are defined
bool provably_less_equal(Context& cx, Expr x, Expr y);  // x <= y

}  // namespace cambium::expr
