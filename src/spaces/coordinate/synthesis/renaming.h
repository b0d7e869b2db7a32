// Renamings of reductions. Reductions of equal size are interchangeable, so states try all their
// permutations and keep the first form, and weights use the permutations that change nothing.
#pragma once

#include <algorithm>

#include "spaces/coordinate/synthesis/coordinates.h"
#include "spaces/coordinate/synthesis/few.h"

namespace cambium::spaces::coordinate::synthesis {

inline constexpr std::size_t kMaxReductions = 8;

// from[i] becomes to[i].
struct Renaming {
  Few<CoordId, kMaxReductions> from, to;
};

CoordId renamed(Coordinates& coordinates, CoordId id, const Renaming& renaming);

// Calls `use` with every renaming except the identity. Equal sizes must stand side by side.
template <class Use>
void for_each_renaming(const Coordinates& coordinates, std::span<const CoordId> reductions,
                       Use use) {
  Renaming renaming;
  for (const CoordId r : reductions) renaming.from.push_back(r);
  // std::next_permutation visits all permutations only if it starts sorted.
  std::sort(renaming.from.begin(), renaming.from.end(), [&](CoordId a, CoordId b) {
    const SizeId x = coordinates.size(a), y = coordinates.size(b);
    return x != y ? x < y : a < b;
  });
  renaming.to = renaming.from;
  const auto advance = [&] {
    for (std::size_t begin = 0, end = 0; begin < renaming.from.size(); begin = end) {
      end = begin + 1;
      while (end < renaming.from.size() &&
             coordinates.size(renaming.from[end]) == coordinates.size(renaming.from[begin])) {
        ++end;
      }
      if (std::next_permutation(renaming.to.begin() + begin, renaming.to.begin() + end)) {
        return true;
      }
    }
    return false;
  };
  while (advance()) use(renaming);
}

}  // namespace cambium::spaces::coordinate::synthesis
