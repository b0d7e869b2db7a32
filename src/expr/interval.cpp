#include "expr/interval.h"

#include <algorithm>

#include "expr/monomial.h"

namespace cambium::expr {
namespace {

constexpr std::int64_t kInf = Interval::kInfinity;

bool infinite(std::int64_t n) {
  return n == kInf || n == -kInf;
}

// An infinite end stays; of two different infinities neither says anything, so `otherwise`.
std::int64_t add_end(std::int64_t a, std::int64_t b, std::int64_t otherwise) {
  if (a == otherwise || b == otherwise) return otherwise;
  if (infinite(a)) return a;
  if (infinite(b)) return b;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || sum < -kInf) return a < 0 ? -kInf : kInf;
  return sum;
}

std::int64_t mul_end(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  const bool negative = (a < 0) != (b < 0);
  std::int64_t product = 0;
  if (infinite(a) || infinite(b) || __builtin_mul_overflow(a, b, &product) || product < -kInf) {
    return negative ? -kInf : kInf;
  }
  return product;
}

std::int64_t div_end(std::int64_t a, std::int64_t by) {
  if (infinite(a)) return a;
  if (by == kInf) return a < 0 ? -1 : 0;
  return floor_div(a, by);
}

}  // namespace

Interval add(Interval a, Interval b) {
  return {add_end(a.lo, b.lo, -kInf), add_end(a.hi, b.hi, kInf)};
}

Interval mul(Interval a, Interval b) {
  if (b.is_single()) {
    return b.lo >= 0 ? Interval{mul_end(a.lo, b.lo), mul_end(a.hi, b.lo)}
                     : Interval{mul_end(a.hi, b.lo), mul_end(a.lo, b.lo)};
  }
  const auto [lo, hi] = std::minmax(
      {mul_end(a.lo, b.lo), mul_end(a.lo, b.hi), mul_end(a.hi, b.lo), mul_end(a.hi, b.hi)});
  return {lo, hi};
}

Interval div(Interval a, Interval b) {
  return {div_end(a.lo, a.lo < 0 ? b.lo : b.hi), div_end(a.hi, a.hi < 0 ? b.hi : b.lo)};
}

Interval mod(Interval a, Interval b) {
  const std::int64_t most = b.hi == kInf ? kInf : b.hi - 1;
  if (a.lo < 0) return {0, most};
  if (a.hi < b.lo) return a;
  return {0, std::min(a.hi, most)};
}

Interval min(Interval a, Interval b) {
  return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}

Interval max(Interval a, Interval b) {
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval less(Interval a, Interval b) {
  if (a.hi < b.lo && !infinite(a.hi) && !infinite(b.lo)) return Interval::exactly(1);
  if (a.lo >= b.hi && !infinite(a.lo) && !infinite(b.hi)) return Interval::exactly(0);
  return {0, 1};
}

Interval equal(Interval a, Interval b) {
  if (a.is_single() && a == b) return Interval::exactly(1);
  if (less(a, b).lo == 1 || less(b, a).lo == 1) return Interval::exactly(0);
  return {0, 1};
}

}  // namespace cambium::expr
