// An operator put at all places of a family (spaces/places/put.h). Refuses what decomposing and
// putting refuse, and (WrongDecomposition) an operator whose stages compute something else than its
// document.
#pragma once

#include "base/result.h"
#include "model/model.h"
#include "spaces/coordinate/search/family.h"

namespace cambium::spaces::coordinate {

inline constexpr std::string_view kSpaceName = "coordinate";

// All places of the family are of this model. Weights are drawn lazily, by their names, so that
// every stage keeps the variance of its input and the last one doubles it, as He et al. do for a
// layer in front of a ReLU.
Result<model::Model> rewritten(const model::Model& model, const Family& family, const Operator& op,
                               const std::string& document);

}  // namespace cambium::spaces::coordinate
