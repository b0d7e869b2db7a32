// Interval: the least and greatest possible value of an index expression, saturating at infinity.
// The context keeps one for every node; bounds.h adds ends that are sizes.
#pragma once

#include <cstdint>
#include <limits>

namespace cambium::expr {

struct Interval {
  static constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();

  std::int64_t lo = -kInfinity;
  std::int64_t hi = kInfinity;

  static Interval exactly(std::int64_t n) { return {n, n}; }
  bool is_single() const { return lo == hi && lo != kInfinity && lo != -kInfinity; }
  bool contains(std::int64_t n) const { return lo <= n && n <= hi; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

Interval add(Interval a, Interval b);
Interval mul(Interval a, Interval b);
Interval div(Interval a, Interval b);  // floor; b.lo >= 1
Interval mod(Interval a, Interval b);  // b.lo >= 1
Interval min(Interval a, Interval b);
Interval max(Interval a, Interval b);
// 0..0 or 1..1 if the comparison is decided, otherwise 0..1.
Interval less(Interval a, Interval b);
Interval equal(Interval a, Interval b);

}  // namespace cambium::expr
