// A convolution without a padded copy: values outside the image are not multiplied. The condition
// moves around the product. The part of it that depends on the columns of a register tile is
// decided when the code is written, by unrolling the kernel's columns and cutting the loop over
// tiles at the borders. The part that depends only on rows becomes a branch outside of the inner
// loops.
#pragma once

#include <optional>

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// The block that fills the left operand of a contraction from something smaller and zeros, for no
// other reader.
std::optional<std::string> padding_of(const Program& program, const std::string& block);

// The padding goes into the contraction, and its condition around the product.
Status inline_padding(Draft& draft, const std::string& block, const std::string& padding);

// The loops around the tile, from `innermost` outwards, fall apart (or are unrolled) where
// conditions that move with unrolled loops are decided otherwise. Refuses NothingToDo where there
// would be too many pieces.
Status cut_where_decided(Draft& draft, const std::string& block, const std::string& innermost);

}  // namespace cambium::schedule
