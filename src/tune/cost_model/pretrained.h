// The shipped model, as bytes in the program: pretrained.ubj beside this file, made by
// `cambium bench model train` (bench/cost_model/train.cpp).
#pragma once

#include <cstddef>
#include <span>

namespace cambium::tune {

std::span<const std::byte> pretrained_bytes();

}  // namespace cambium::tune
