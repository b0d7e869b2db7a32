// A table of points as a nest of arithmetic progressions, where it is one:
//   table[j] = table[0] + sum over levels of digit(j) * step
// This is how constant gather indices and concatenated slices become loops again.
#pragma once

#include <optional>
#include <vector>

#include "model/tensor.h"

namespace cambium::model::recognition {

struct Progression {
  std::int64_t extent = 1;
  Ints steps;  // one per component of a point

  friend bool operator==(const Progression&, const Progression&) = default;
};

// Slowest first; a table of one point has none. Nothing if the table is no such nest.
std::optional<std::vector<Progression>> progressions(std::vector<Ints> points);

}  // namespace cambium::model::recognition
