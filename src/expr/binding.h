// Binding: the values of the size variables at one occurrence of a target. Legality is checked over
// all bindings of a target at once (`require_integer`, `require_divides`, `bounds`). A value that
// is missing, not an integer or beyond 64 bits is refused with the number of its binding.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "expr/size.h"

namespace cambium::expr {

class Binding {
 public:
  Status set(SizeVar v, std::int64_t value);                             // refuses SizeNotPositive
  std::int64_t operator[](SizeVar v) const { return values_[v.index]; }  // 0: not bound
  bool has(SizeVar v) const { return values_[v.index] != 0; }

  friend bool operator==(const Binding&, const Binding&) = default;

 private:
  std::array<std::int64_t, kMaxVars> values_{};
};

// A positive fraction in lowest terms: the value of a size with denominators.
struct Ratio {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;

  std::int64_t floor() const { return numerator / denominator; }
  std::int64_t ceil() const { return floor() + (is_integer() ? 0 : 1); }
  bool is_integer() const { return denominator == 1; }
  friend bool operator==(const Ratio&, const Ratio&) = default;
  friend std::strong_ordering operator<=>(const Ratio& a, const Ratio& b);
};

struct SizeBounds {
  Ratio min, max;
};

// Refuse SizeUnbound and SizeOverflow; `evaluate` also SizeNotInteger.
Result<Ratio> evaluate_ratio(const Size& size, const Binding& binding);
Result<std::int64_t> evaluate(const Size& size, const Binding& binding);

// The least and greatest value over all bindings. There must be at least one binding.
Result<SizeBounds> bounds(const Size& size, std::span<const Binding> bindings);
// Whether the size is an integer in every binding.
Status require_integer(const Size& size, std::span<const Binding> bindings);
// Whether n/d is an integer in every binding. n and d need not be integers themselves.
Status require_divides(const Size& d, const Size& n, std::span<const Binding> bindings);

}  // namespace cambium::expr
