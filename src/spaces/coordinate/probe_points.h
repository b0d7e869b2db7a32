// Which elements of the output and of the input a fingerprint looks at. The points are designed,
// not random: to show that a weight depends on a coordinate, two terms must differ in nothing else.
// So points form a star: one in the middle, and others that differ from it on one axis, by one, by
// a quarter of the axis, by each of its divisors (which may be a block), or by standing at an end.
// Corners follow, then random points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace cambium::spaces::coordinate {

// Where the star stands. In the corner it shows rows in which windows end.
enum class Centre { Middle, Corner };

// At most `most` points of a shape. Every prefix of the list covers the shape as well as it can.
std::vector<std::vector<std::int64_t>> probe_points(const std::vector<std::int64_t>& shape,
                                                    std::size_t most, Centre centre, Rng& rng);

// A level for each place on an axis. The inner part of the star has the highest level, and the rest
// of the star falls by one from place to place. Of the other places half have at least level 1, a
// quarter at least 2, and so on.
inline constexpr std::uint8_t kStarLevel = 255;
std::vector<std::uint8_t> probe_levels(std::int64_t extent, Centre centre, Rng& rng);

}  // namespace cambium::spaces::coordinate
