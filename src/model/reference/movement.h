// Moves elements by tables: each axis of the result has a table of offsets into the input, and the
// source of an element is the sum of its offsets. Slices, permutations, tiles, pads,
// nearest-neighbour resizing and gathers all use such tables.
#pragma once

#include <vector>

#include "model/reference/kernels.h"

namespace cambium::model::reference {

inline constexpr std::int64_t kOutside = -1;  // outside of the input; reads the fill

// offsets[axis][i] is defined for i below the size of that axis of the result. `fill` is converted
// to the element type.
Tensor moved(const Tensor& input, const TensorType& type, const std::vector<Ints>& offsets,
             double fill, const Task& task);

// start, start + step, ... `count` times.
Ints steps(std::int64_t start, std::int64_t step, std::int64_t count);

}  // namespace cambium::model::reference
