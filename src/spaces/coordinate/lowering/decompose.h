// An operator as a Model of standard operators, stage by stage: views as reshapes, transposes,
// pads, slices and gathers, contractions as einsums, averages as means. It is the body of a
// Composite: inputs are the data "x" and the weights "w1", "w2" ..., the output is "y". Training,
// ONNX and lowering follow from it; recognition (docs/recognition.md) turns the stages into
// convolutions and matrix products. Refuses tensors that a Model cannot hold, tensors
// (SizeOutOfRange) that are several times as large as what the operator reads, writes and
// multiplies, and stages of more than 52 axes.
#pragma once

#include <span>

#include "model/model.h"
#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::spaces::coordinate {

Result<model::Model> decompose(const Operator& op, std::span<const Stage> stages,
                               const Extents& extents);

// In the stages that are best at this binding.
Result<model::Model> decompose(const Operator& op, const expr::Binding& binding);

}  // namespace cambium::spaces::coordinate
