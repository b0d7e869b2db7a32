// Tiles with tails: factors whose product is at least `extent`, outermost first, none larger than
// what is left by those inside of it; the outermost is what they leave. What SampleImperfectTile
// (samples.h) draws from; the law is stated there. `at` and `multiple` of a tiling mean nothing
// here.
#pragma once

#include "schedule/tilings.h"

namespace cambium::schedule {

// Refuses BadDecision under that key.
Status check_loose(const std::string& key, const Tiling& tiling, const Ints& factors);

Ints draw_loose(Rng& rng, const Tiling& tiling);
// Each inner factor, from the innermost outwards, among all that it may be, all alike.
Ints draw_loose_alike(Rng& rng, const Tiling& tiling);

// Each factor as wanted, or as large as it may be; told apart by how far they are from the
// innermost.
Ints snap_loose(const Tiling& tiling, const Ints& wanted);

// Those in which one inner factor is one more or less, double or half, or the next divisor of what
// is left, and the outermost one is what that leaves.
std::vector<Ints> neighbours_of_loose(const Tiling& tiling, const Ints& factors);

}  // namespace cambium::schedule
