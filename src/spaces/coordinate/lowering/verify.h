// Verification: does a decomposition compute what the document says? Training, export and timing
// use the decomposition; descriptions and costs use the document. Verification compares both on
// numbers before a candidate is used, and refuses (WrongDecomposition) a difference.
#pragma once

#include <span>
#include <string>

#include "model/model.h"
#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::spaces::coordinate {

// Compares a body, as decompose makes it from the operator at these extents, with direct
// evaluation. The reference executor runs the body on data and weights that are small whole
// numbers. Expects extents without padding: inside and outside are the same. If evaluating the
// whole output takes more than a few milliseconds, only its corners and at least 64 random elements
// are compared. The refusal uses `name`.
Status verify(const Extents& extents, const model::Model& body, const std::string& name);

// Decomposes with these stages at small sizes (small_sizes.h), verifies the result, and then
// decomposes at the place. Also refuses what decompose refuses.
Result<model::Model> verified_decomposition(const Operator& op, std::span<const Stage> stages,
                                            const expr::Binding& place, const std::string& name);

}  // namespace cambium::spaces::coordinate
