// The elements of a buffer that a sum of products reads, as a value with an axis for each loop.
// Windows, slices and zero borders become pads, slices, gathers and expansions.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/builder.h"
#include "spaces/loopnest/graph_block.h"

namespace cambium::spaces::loopnest {

// How loops read one axis of a buffer. The first loop takes the largest steps.
struct AxisRead {
  std::vector<Expr> loops;
  model::Ints extents;
  std::vector<std::int64_t>
      at;  // index for each iteration of these loops; may lie outside of the axis
  std::vector<bool> is_inside;  // false: 0 is read
};
// Takes those conditions into account whose loops all occur in the expression, and removes them
// from the list. Refuses SizeOutOfRange for more iterations than a graph should list.
Result<AxisRead> axis_read_of(Expr e, std::vector<Expr>& conditions);

struct View {
  model::Value value;
  std::vector<Expr> loops;  // by axis of the value
};
// An axis cannot be padded with plain borders while all these loops run over it.
struct Uneven {
  std::vector<Expr> loops;
};
// `value`: the buffer to which the axes belong.
std::variant<View, Uneven> view_of(model::Builder& builder, model::Value value,
                                   const std::vector<AxisRead>& axes);

}  // namespace cambium::spaces::loopnest
