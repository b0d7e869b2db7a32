// An operator put in the place of what a model has there: averages where the original strides, then
// a Composite with weights of its own, then the bias of the original if it had one.
#pragma once

#include "base/result.h"
#include "model/model.h"
#include "spaces/coordinate/search/family.h"

namespace cambium::spaces::coordinate {

inline constexpr std::string_view kSpaceName = "coordinate";

// All places of the family, which are of this model. Nodes are named after the site: the Composite
// of `conv1` is `conv1.coordinate`, of a place without a convolution `fc.coordinate.linear`, its
// weights are `conv1.w1` ... But an operator with one weight,
// in the place of a layer with one, has it under that one's name: training draws weights by name,
// and so gives what computes the same the same numbers. Weights are drawn lazily, by their names,
// so that every stage keeps the variance of what it reads and the last one doubles it, as He et al.
// do for what a ReLU follows. Refuses what decomposing refuses, and (WrongDecomposition) an
// operator whose stages compute something else than its document.
Result<model::Model> rewritten(const model::Model& model, const Family& family, const Operator& op,
                               const std::string& document);

}  // namespace cambium::spaces::coordinate
