// Roots: the nodes where recognition starts, read as contractions, and gathers that are shifts.
#pragma once

#include <optional>
#include <vector>

#include "model/recognize/emitter.h"

namespace cambium::model::recognition {

struct RootOperand {
  Value value;
  std::vector<std::size_t> letters;  // one per axis
};

struct Root {
  std::vector<RootOperand> operands;
  Ints extents;                     // by letter
  std::vector<std::size_t> output;  // letters that stay
  ReduceFn fn = ReduceFn::Sum;
  double scale = 1;  // of the result
  bool always =
      false;       // any standard operators are better than what it is; else fewer bytes must be
  Effort written;  // of the node as it stands, without its operands
};

// Reads Einsum, MatMul, Gemm, a reduction of a product, or a reduction.
std::optional<Root> root_of(const Builder& builder, const Node& node);

// Rewrites a gather whose constant indices run on and wrap around once as two slices, and one whose
// indices are a range as one slice.
std::optional<Value> rolled(Emitter& emit, const Builder& builder, const Node& gather);

}  // namespace cambium::model::recognition
