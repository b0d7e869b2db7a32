// Ways to write an extent as a product of factors, outermost first: what the tile samplers of
// samples.h draw from. Everything is counted with whole numbers, so that a draw needs no retries
// and is the same on every machine.
#pragma once

#include "base/random.h"
#include "schedule/applied.h"

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

// One of all such factors, all alike.
Ints draw_factors(Rng& rng, const Tiling& tiling);

// Such factors near these: from the innermost outwards, each is the divisor of what is left that
// has the nearest ratio to the one wanted (of two, the smaller), and the outermost is the rest.
// Factors are told by how far they are from the innermost one; missing ones are 1.
Ints snap_factors(const Tiling& tiling, const Ints& wanted);

// Those in which one prime factor has moved from one part to another.
std::vector<Ints> neighbours_of(const Tiling& tiling, const Ints& factors);

// Tiles with tails: factors whose product is at least `extent`, none larger than what is left by
// those inside of it; the outermost is what they leave. `at` and `multiple` have no meaning here.
Status check_loose(const std::string& key, const Tiling& tiling, const Ints& factors);
Ints draw_loose(Rng& rng, const Tiling& tiling);
Ints snap_loose(const Tiling& tiling, const Ints& wanted);
std::vector<Ints> neighbours_of_loose(const Tiling& tiling, const Ints& factors);

}  // namespace cambium::schedule
