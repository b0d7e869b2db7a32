// Which elements of the output and of the input a fingerprint looks at: a design, not a lottery. To
// see whether a weight depends on a coordinate, two terms must differ in nothing else, so points
// stand on a star: one in the middle, others that differ from it on one axis, by one, by a quarter
// of the axis, by each of its divisors, which may be a block of it, at its ends. Then corners, then
// random ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace cambium::spaces::coordinate {

// Where the star stands: in the corner it shows rows in which windows end.
enum class Centre { Middle, Corner };

// Points of a shape, as many as `most` or all; each prefix looks at the whole as well as it can.
std::vector<std::vector<std::int64_t>> probe_points(const std::vector<std::int64_t>& shape,
                                                    std::size_t most, Centre centre, Rng& rng);

// For each place on an axis a level: the inner part of the star has the highest, the rest of it
// falls by one from place to place; half of the others have at least 1, a quarter at least 2, and
// so on.
inline constexpr std::uint8_t kStarLevel = 255;
std::vector<std::uint8_t> probe_levels(std::int64_t extent, Centre centre, Rng& rng);

}  // namespace cambium::spaces::coordinate
