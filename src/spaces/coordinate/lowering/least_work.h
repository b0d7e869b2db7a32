// A lower bound on the work of an operator, from its stages alone. It holds however recognition
// (docs/recognition.md) computes the stages, and takes microseconds; decomposing and recognizing a
// body takes far longer. Searches refuse early by it. Exact counts come from the body.
//
// Why the bound holds: each stage with weights becomes one einsum. Recognition keeps the einsum or
// replaces it by contractions of the same operands. The last contraction that reads the data
// multiplies a result of the data by a result of at least one weight W. It has at least as many
// points as the product of
//   - the loops of its output. A loop that neither the data nor a weight reads does not count: the
//     result is repeated along it. A window of an UNFOLD that nothing else reads does not count:
//     recognition may compute the result once per place of the axis and unfold it later.
//   - the reductions that both the data and W read. All others may be summed in advance.
// If only a half of a MERGE is read, an output loop counts as that half, or as one if the MERGE is
// of something that other primitives made; a reduction counts as one.
//
// It is exact for convolutions, grouped ones too, and mostly low for operators that read halves of
// a SPLIT. model/recognize/pass.h counts whole samples; the bound expects that samples stay apart.
#pragma once

#include <span>

#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::spaces::coordinate {

struct LeastWork {
  double macs = 0;
  double results = 0;  // elements of what stages with weights make
};

// Expects the stages of this operator (stages.h) and the operator bound to their sizes.
LeastWork least_work(const Operator& op, std::span<const Stage> stages, const BoundOperator& bound);

}  // namespace cambium::spaces::coordinate
