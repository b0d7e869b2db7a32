// The elements of a buffer that blocks write, enumerated one by one. The verifier uses this as a
// last resort if boxes do not decide. Gives nothing if there are too many elements.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "program/context.h"
#include "program/walk.h"

namespace cambium::program {

// By the flat index of an element: whether a block before the given place assigns it a value.
// Adding to it does not count.
std::optional<std::vector<bool>> elements_written(Context& cx, std::span<const Site> sites,
                                                  const Buffer* buffer, std::size_t before);

// Whether a block gives its elements a first value.
bool starts(const Body& body);

}  // namespace cambium::program
