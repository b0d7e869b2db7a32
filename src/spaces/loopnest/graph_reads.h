// What a sum of products reads of one buffer, as a value with an axis for each loop: windows,
// slices and borders of zeros become pads, slices, gathers and expansions.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/builder.h"
#include "spaces/loopnest/graph_block.h"

namespace cambium::spaces::loopnest {

// An axis of a buffer as loops read it: the first loop counts the largest steps.
struct AxisRead {
  std::vector<Expr> loops;
  model::Ints extents;
  std::vector<std::int64_t> at;  // by iterations of these loops; may be outside of the axis
  std::vector<bool> is_inside;   // otherwise 0 is read
};
// Conditions whose loops are all among those of the expression are counted; they leave the list.
// Refuses SizeOutOfRange for more iterations than a graph should list.
Result<AxisRead> axis_read_of(Expr e, std::vector<Expr>& conditions);

struct View {
  model::Value value;
  std::vector<Expr> loops;  // by axis of the value
};
// Where the borders of an axis are no plain borders, as long as all these loops run over it.
struct Uneven {
  std::vector<Expr> loops;
};
// `value`: the buffer that the axes are of.
std::variant<View, Uneven> view_of(model::Builder& builder, model::Value value,
                                   const std::vector<AxisRead>& axes);

}  // namespace cambium::spaces::loopnest
