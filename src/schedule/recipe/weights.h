// Weight maps: for each weight of a rewritten nest, the element of the original filter from which
// each of its elements starts. A group starts from the blocks on the diagonal, a bottleneck from
// the channels that stay. The map is read from the normalized nests: an element starts from the
// element of the original filter that multiplies the same input for the same output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schedule/recipe/replay.h"

namespace cambium::schedule {

struct WeightMap {
  std::string weight;                  // name of the parameter of the rewritten program
  Ints dims;                           // of that parameter
  std::vector<std::int64_t> elements;  // the origin of each element; -1: none
};

// One row for each constant that a nest multiplies with, in the order of the program's parameters.
// `filter`: the dimensions of the original weight, [Co, Ci / groups, taps...]. If a nest was
// separated into a chain of nests, no element has an origin. Refuses NotAContraction for weights
// that are not indexed by digits.
Result<std::vector<WeightMap>> weight_maps_of(Context& cx, const NeuralHalf& half,
                                              std::span<const std::int64_t> filter);

}  // namespace cambium::schedule
