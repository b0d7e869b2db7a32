// Finds locals that need no memory of their own and can live in the result. This is possible if
// each element of the local is read for the last time where the corresponding element of the result
// is written. For example, softmax stores the exponentials of a row in its output row and scales
// them there.
#pragma once

#include <optional>
#include <span>

#include "program/walk.h"

namespace cambium::codegen {

struct InPlace {
  const program::Buffer* result = nullptr;
  expr::Expr shift = nullptr;  // elements from a position in the local to the one in the result,
                               // over the loops around the local's life
};

// Nothing if the local needs memory of its own. `home` is program::home_of.
std::optional<InPlace> in_place(program::Context& cx, std::span<const program::Site> sites,
                                const program::Buffer& local, const program::Loop* home);

}  // namespace cambium::codegen
