// A shape over named size variables, for people: `[N, Ci, H, W]`.
#pragma once

#include <span>
#include <string>

#include "expr/size_table.h"

namespace cambium::expr {

std::string print_shape(const SizeTable& sizes, std::span<const Size> shape);

}  // namespace cambium::expr
