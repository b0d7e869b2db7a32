// All ways to write an extent as a product of factors, outermost first, for the tile samplers of
// samples.h. They are counted with whole numbers, so that a draw needs no retries and is the same
// on every machine.
#pragma once

#include "base/random.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

// Factors whose product is `extent`, rounded up to a multiple of `multiple`; the last is at most
// `innermost`, and the product of those from position `at` on is a multiple of `multiple`.
struct Tiling {
  std::int64_t extent = 1, parts = 2, innermost = 64;
  std::int64_t at = 1, multiple = 1;

  std::int64_t product() const { return (extent + multiple - 1) / multiple * multiple; }
};

// Refuse BadDecision under that key.
Status check_tiling(const std::string& key, const Tiling& tiling);
Status check_factors(const std::string& key, const Tiling& tiling, const Ints& factors);

// One of all such factors, all equally likely.
Ints draw_factors(Rng& rng, const Tiling& tiling);

// Such factors near the wanted ones. From the innermost outwards, each is the divisor of the rest
// that has the nearest ratio to the wanted factor (of two, the smaller); the outermost is the rest.
// Factors correspond by their distance from the innermost; missing ones are 1.
Ints snap_factors(const Tiling& tiling, const Ints& wanted);

// The factors in which one prime factor has moved from one part to another.
std::vector<Ints> neighbours_of(const Tiling& tiling, const Ints& factors);

// All divisors, in rising order.
Ints divisors_of(std::int64_t n);
// The factor at that distance from the innermost; 1 if there is none.
std::int64_t at_from_inside(const Ints& factors, std::size_t distance);

}  // namespace cambium::schedule
