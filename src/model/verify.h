// Checks all invariants of a Model again, independently of the Builder: after edits in tests and
// dev builds, and in the fuzzers. A Builder makes only valid models, so a refusal here is a bug in
// the code that made the model.
#pragma once

#include <span>

#include "base/result.h"
#include "model/model.h"

namespace cambium::model {

// Checks topological order, arities, types against inference, weights against their types, unique
// names, block indices, existing inputs and outputs, and that no node is dead. Does not fill lazy
// weights.
Status verify(const Model& model);

// Whether the rule can fill this type: integers allow only constants in their range.
bool can_fill(DType dtype, const Fill& fill);
// Whether the bytes are valid elements. Only bool has invalid bytes (2 is neither false nor true).
bool are_elements(DType dtype, std::span<const std::byte> bytes);

}  // namespace cambium::model
