// Reads a table of points as a nest of arithmetic progressions, if it is one:
//   table[j] = table[0] + sum over levels of digit(j) * step
// This turns constant gather indices and concatenated slices back into loops.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "model/tensor.h"

namespace cambium::model::recognition {

struct Progression {
  std::int64_t extent = 1;
  Ints steps;  // one per component of a point

  friend bool operator==(const Progression&, const Progression&) = default;
};

// Deeper nests than any window has are accidents of a random table.
inline constexpr std::size_t kMostLevels = 8;

// Slowest first; a table of one point has no levels. Returns nothing if the table is not such a
// nest, or one of too many levels.
std::optional<std::vector<Progression>> progressions(const std::vector<Ints>& points);
// The same for `count` points of `width` components each. `read` writes point i into `to`. Reading
// stops at the first point that is out of order.
std::optional<std::vector<Progression>> progressions(
    std::size_t count, std::size_t width, const std::function<void(std::size_t i, Ints& to)>& read);

}  // namespace cambium::model::recognition
