// Everything that must hold of a Model, checked again from the outside: after edits in tests and
// dev builds, and by the fuzzers. A Builder gives nothing else, so a refusal here is a bug of
// whoever made the model.
#pragma once

#include <span>

#include "base/result.h"
#include "model/model.h"

namespace cambium::model {

// Topological order, arities, types equal to what inference says, weights that hold what their
// type says, unique names, blocks in range, inputs and outputs that exist, and no dead node.
// Does not fill lazy weights.
Status verify(const Model& model);

// Whether the rule makes elements of that type: integers are only ever constants in their range.
bool can_fill(DType dtype, const Fill& fill);
// Whether every byte pattern is an element; only bool has others (2 is neither false nor true).
bool are_elements(DType dtype, std::span<const std::byte> bytes);

}  // namespace cambium::model
