#include "spaces/coordinate/probe_points.h"

#include <algorithm>
#include <bit>
#include <set>

namespace cambium::spaces::coordinate {
namespace {

constexpr std::size_t kInnerStar = 5;
constexpr std::size_t kMostOuter = 64;  // levels of those beyond it

// First the middle and its neighbours, which lie on both sides of every cut that a divisor of the
// middle makes. Then two places that are half of the axis apart and away from its ends, where
// windows are whole. Then places at every possible width of a block from the middle, so that for
// any two widths of blocks some pair shares a block of one width but not of the other. Last the
// ends.
std::vector<std::int64_t> star_of(std::int64_t extent, Centre centre) {
  const std::int64_t middle = centre == Centre::Middle ? extent / 2 : 0;
  std::vector<std::int64_t> star;
  const auto add = [&](std::int64_t place) {
    place = (place + extent) % extent;
    if (std::find(star.begin(), star.end(), place) == star.end()) star.push_back(place);
  };
  const std::int64_t quarter = middle - extent / 4;
  for (const std::int64_t place : {middle, middle + 1, middle - 1, quarter, quarter + extent / 2}) {
    add(place);
  }
  for (std::int64_t block = 2; block < extent; ++block) {
    if (extent % block == 0) add(middle + block);
  }
  for (const std::int64_t place : {std::int64_t{0}, extent - 1}) add(place);
  return star;
}

}  // namespace

std::vector<std::vector<std::int64_t>> probe_points(const std::vector<std::int64_t>& shape,
                                                    std::size_t most, Centre centre, Rng& rng) {
  std::vector<std::vector<std::int64_t>> points;
  std::set<std::vector<std::int64_t>> known;
  const auto add = [&](const std::vector<std::int64_t>& point) {
    if (points.size() < most && known.insert(point).second) points.push_back(point);
  };
  std::vector<std::int64_t> middle;
  std::vector<std::vector<std::int64_t>> stars;
  std::size_t longest = 0;
  double count = 1;
  for (const std::int64_t extent : shape) {
    stars.push_back(star_of(extent, centre));
    middle.push_back(stars.back().front());
    longest = std::max(longest, stars.back().size());
    count *= static_cast<double>(extent);
  }
  add(middle);
  for (std::size_t rank = 1; rank < longest; ++rank) {
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (rank >= stars[axis].size()) continue;
      std::vector<std::int64_t> point = middle;
      point[axis] = stars[axis][rank];
      add(point);
    }
  }
  for (std::uint32_t corner = 0; corner < (1U << std::min<std::size_t>(shape.size(), 4));
       ++corner) {
    std::vector<std::int64_t> point = middle;
    for (std::size_t axis = 0; axis < std::min<std::size_t>(shape.size(), 4); ++axis) {
      point[axis] = (corner >> axis & 1) == 0 ? 0 : shape[axis] - 1;
    }
    add(point);
  }
  if (count <= static_cast<double>(most)) {
    std::vector<std::int64_t> point(shape.size(), 0);
    bool more = true;
    while (more) {
      add(point);
      more = false;
      for (std::size_t axis = shape.size(); axis > 0 && !more; --axis) {
        more = ++point[axis - 1] < shape[axis - 1];
        if (!more) point[axis - 1] = 0;
      }
    }
    return points;
  }
  while (points.size() < most) {
    std::vector<std::int64_t> point;
    for (const std::int64_t extent : shape) point.push_back(rng.between(0, extent - 1));
    add(point);
  }
  return points;
}

std::vector<std::uint8_t> probe_levels(std::int64_t extent, Centre centre, Rng& rng) {
  std::vector<std::uint8_t> levels;
  for (std::int64_t place = 0; place < extent; ++place) {
    levels.push_back(static_cast<std::uint8_t>(std::countl_zero(rng.next_u64() | 1)));
  }
  const std::vector<std::int64_t> star = star_of(extent, centre);
  for (std::size_t i = 0; i < star.size(); ++i) {
    const std::size_t outer = i < kInnerStar ? 0 : i - kInnerStar + 1;
    levels[static_cast<std::size_t>(star[i])] =
        static_cast<std::uint8_t>(kStarLevel - std::min(outer, kMostOuter));
  }
  return levels;
}

}  // namespace cambium::spaces::coordinate
