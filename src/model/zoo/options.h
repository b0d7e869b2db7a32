// How a model of the zoo is to be built. Zero means: as published. Values that make no network are
// refused (BadOption) by `build` in zoo.h.
#pragma once

#include <cstdint>

namespace cambium::model::zoo {

struct ZooOptions {
  std::int64_t batch = 1;
  std::int64_t classes = 0;        // of a language model: its vocabulary
  std::int64_t image = 0;          // side of the square input image
  std::int64_t length = 0;         // tokens in a sequence, and positions that are learned
  std::int64_t width_divisor = 1;  // all widths divided by it, depth and block structure kept
  std::uint64_t seed = 1;          // with the name of a weight it fixes the values of that weight
};

}  // namespace cambium::model::zoo
