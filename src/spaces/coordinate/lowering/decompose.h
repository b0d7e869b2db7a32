// Writes an operator as a Model of standard operators, stage by stage. Views become reshapes,
// transposes, pads, slices and gathers; contractions become einsums; averages become means. The
// Model is the body of a Composite: its inputs are the data "x" and the weights "w1", "w2" ..., its
// output is "y". Training, ONNX export and lowering use it, and recognition (docs/recognition.md)
// turns its stages into convolutions and matrix products. Refuses tensors that a Model cannot hold,
// tensors that are several times as large as what the operator reads, writes and multiplies
// (SizeOutOfRange), and stages with more than 52 axes.
#pragma once

#include <span>

#include "model/model.h"
#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::spaces::coordinate {

Result<model::Model> decompose(const Operator& op, std::span<const Stage> stages,
                               const Extents& extents);

// With the stages that are best at this binding.
Result<model::Model> decompose(const Operator& op, const expr::Binding& binding);

}  // namespace cambium::spaces::coordinate
