// Skips padding: a convolution without a padded copy, in which values outside of the image are not
// multiplied. The condition moves around the product. The part of it that depends on columns of the
// register tile is decided at compile time: the columns of the kernel are unrolled, and the loop
// over tiles is cut at the borders. The part that depends only on rows becomes a branch outside of
// the inner loops.
#pragma once

#include <optional>

#include "schedule/trace/draft.h"

namespace cambium::schedule {

// The block that fills the left operand of a contraction by padding a smaller buffer with zeros, if
// only this contraction reads it.
std::optional<std::string> padding_of(const Program& program, const std::string& block);

// Inlines the padding into the contraction, and moves its condition around the product.
Status inline_padding(Draft& draft, const std::string& block, const std::string& padding);

// Cuts (or unrolls) the loops around the tile, from `innermost` outwards, where conditions on
// unrolled loops change their value. Refuses NothingToDo if there would be too many pieces.
Status cut_where_decided(Draft& draft, const std::string& block, const std::string& innermost);

}  // namespace cambium::schedule
