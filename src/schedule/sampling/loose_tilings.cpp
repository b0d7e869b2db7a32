#include "schedule/sampling/loose_tilings.h"

#include <algorithm>

namespace cambium::schedule {
Status check_loose(const std::string& key, const Tiling& t, const Ints& factors) {
  const auto bad = [&](const char* what) { return Rejection(Reason::BadDecision, key, what); };
  CAMBIUM_REQUIRE(check_tiling(key, t));
  if (static_cast<std::int64_t>(factors.size()) != t.parts)
    return bad("the number of parts differs");
  std::int64_t left = t.extent;
  for (std::size_t i = factors.size(); i-- > 1;) {
    if (factors[i] < 1 || factors[i] > left)
      return bad("a part is larger than the rest of the extent");
    left = (left + factors[i] - 1) / factors[i];
  }
  if (factors[0] != left) return bad("the outermost part does not cover the rest of the extent");
  if (t.parts > 1 && factors.back() > t.innermost) return bad("the innermost part is too large");
  return Ok{};
}

namespace {

// 1, 2, 3, 4, 6, 8, 12, ... up to the limit.
Ints round_numbers(std::int64_t limit) {
  Ints numbers = {1};
  for (std::int64_t n = 2; n <= limit; n *= 2) {
    numbers.push_back(n);
    if (n / 2 * 3 <= limit) numbers.push_back(n / 2 * 3);
  }
  return numbers;
}

std::int64_t one_of(Rng& rng, const Ints& numbers) {
  return numbers[static_cast<std::size_t>(rng.below(numbers.size()))];
}

// Not larger than the limit: the inner factor of a tile with a tail.
std::int64_t draw_inner(Rng& rng, std::int64_t left, std::int64_t limit) {
  const std::uint64_t kind = rng.below(4);
  if (kind < 2) {
    Ints divisors = divisors_of(left);
    divisors.erase(std::upper_bound(divisors.begin(), divisors.end(), limit), divisors.end());
    return one_of(rng, divisors);
  }
  if (kind == 2) return one_of(rng, round_numbers(limit));
  std::int64_t octaves = 1;
  while (limit >> octaves != 0) ++octaves;
  const std::int64_t low = std::int64_t{1} << rng.between(0, octaves - 1);
  return rng.between(low, std::min(low * 2 - 1, limit));
}

// Inner factors from the innermost outwards, each by inner(position, what is left, the most it may
// be); the outermost is what they leave.
template <class Inner>
Ints from_inside(const Tiling& t, const Inner& inner) {
  Ints factors(static_cast<std::size_t>(t.parts), 1);
  std::int64_t left = t.extent;
  for (std::size_t i = factors.size(); i-- > 1;) {
    const std::int64_t limit = i + 1 == factors.size() ? std::min(t.innermost, left) : left;
    factors[i] = inner(i, left, limit);
    left = (left + factors[i] - 1) / factors[i];
  }
  factors[0] = left;
  return factors;
}

}  // namespace

Ints draw_loose(Rng& rng, const Tiling& t) {
  return from_inside(t, [&](std::size_t, std::int64_t left, std::int64_t limit) {
    return draw_inner(rng, left, limit);
  });
}

Ints draw_loose_alike(Rng& rng, const Tiling& t) {
  return from_inside(
      t, [&](std::size_t, std::int64_t, std::int64_t limit) { return rng.between(1, limit); });
}

Ints snap_loose(const Tiling& t, const Ints& wanted) {
  const auto parts = static_cast<std::size_t>(t.parts);
  return from_inside(t, [&](std::size_t i, std::int64_t, std::int64_t limit) {
    return std::clamp<std::int64_t>(at_from_inside(wanted, parts - 1 - i), 1, limit);
  });
}

std::vector<Ints> neighbours_of_loose(const Tiling& t, const Ints& factors) {
  std::vector<Ints> found;
  if (!check_loose({}, t, factors).ok()) return found;
  std::int64_t left = t.extent;
  for (std::size_t i = factors.size(); i-- > 1;) {
    const std::int64_t now = factors[i];
    Ints tries = {now - 1, now + 1, now / 2, now * 2};
    const Ints divisors = divisors_of(left);
    const auto above = std::upper_bound(divisors.begin(), divisors.end(), now);
    if (above != divisors.end()) tries.push_back(*above);
    const auto below = std::lower_bound(divisors.begin(), divisors.end(), now);
    if (below != divisors.begin()) tries.push_back(*(below - 1));
    for (const std::int64_t other : tries) {
      Ints moved = factors;
      moved[i] = other;
      moved = snap_loose(t, moved);
      if (moved != factors && std::find(found.begin(), found.end(), moved) == found.end()) {
        found.push_back(std::move(moved));
      }
    }
    left = (left + now - 1) / now;
  }
  return found;
}

}  // namespace cambium::schedule
