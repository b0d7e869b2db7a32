// Verification: does a decomposition compute what the document says? What is trained, exported and
// timed is the decomposition; what is described and costed is the document. Both are compared here,
// on numbers, before a candidate is used. Refuses WrongDecomposition where they differ.
#pragma once

#include <span>
#include <string>

#include "model/model.h"
#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::spaces::coordinate {

// A body as decompose makes it of the operator at these extents, run by the reference executor,
// against direct evaluation on data and weights that are small whole numbers. Expects extents that
// are not padded: inside and outside are the same. Where the output has more terms than are
// evaluated in a few milliseconds, its corners and 64 random elements at least are compared. `name`
// is for the refusal.
Status verify(const Extents& extents, const model::Model& body, const std::string& name);

// Decomposes with these stages at small sizes (small_sizes.h) and verifies that, then decomposes at
// the place. Refuses also what decompose refuses.
Result<model::Model> verified_decomposition(const Operator& op, std::span<const Stage> stages,
                                            const expr::Binding& place, const std::string& name);

}  // namespace cambium::spaces::coordinate
