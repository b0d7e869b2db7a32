// Locals that need no memory of their own, because each of their elements is read a last time where
// an element of the result is written: they live in the result. A row of a softmax is written to
// memory while exponentials are computed, and is still near when it is scaled.
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

// Nothing where the local has to stay apart. `home` is program::home_of.
std::optional<InPlace> in_place(program::Context& cx, std::span<const program::Site> sites,
                                const program::Buffer& local, const program::Loop* home);

}  // namespace cambium::codegen
