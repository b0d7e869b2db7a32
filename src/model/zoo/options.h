// Options for building a model of the zoo. Zero means as published. `build` in zoo.h refuses values
// that give no valid network (BadOption).
#pragma once

#include <cstdint>

namespace cambium::model::zoo {

struct ZooOptions {
  std::int64_t batch = 1;
  std::int64_t classes = 0;        // for a language model, the size of the vocabulary
  std::int64_t image = 0;          // side of the square input image
  std::int64_t length = 0;         // tokens in a sequence, and learned positions
  std::int64_t width_divisor = 1;  // divides all widths; depth and block structure stay
  std::uint64_t seed = 1;  // together with the name of a weight, it determines the weight's values
};

}  // namespace cambium::model::zoo
