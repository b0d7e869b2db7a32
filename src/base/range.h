// The numbers from `low` to `high`, both included. NaN is in no range.
#pragma once

namespace cambium {

template <class T>
struct Range {
  T low, high;

  constexpr bool holds(T value) const { return value >= low && value <= high; }
};

}  // namespace cambium
