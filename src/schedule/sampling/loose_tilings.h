// Tiles with tails: factors, outermost first, whose product is at least `extent`. No inner factor
// exceeds the rest that the factors inside it leave, and the outermost factor covers what remains.
// SampleImperfectTile (samples.h) states the law and draws from these. `at` and `multiple` of a
// tiling are ignored.
#pragma once

#include "schedule/sampling/tilings.h"

namespace cambium::schedule {

// Refuses BadDecision under that key.
Status check_loose(const std::string& key, const Tiling& tiling, const Ints& factors);

Ints draw_loose(Rng& rng, const Tiling& tiling);
// Draws each inner factor, from the innermost outwards, uniformly among its legal values.
Ints draw_loose_alike(Rng& rng, const Tiling& tiling);

// Each factor as wanted, or as large as allowed. Factors correspond by their distance from the
// innermost.
Ints snap_loose(const Tiling& tiling, const Ints& wanted);

// The tilings in which one inner factor is one more or less, double or half, or the next divisor of
// the remaining extent. The outermost factor changes accordingly.
std::vector<Ints> neighbours_of_loose(const Tiling& tiling, const Ints& factors);

}  // namespace cambium::schedule
