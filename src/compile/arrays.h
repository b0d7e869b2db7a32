// Converts between the bytes of a buffer, as native code sees it, and the arrays of the
// interpreter.
#pragma once

#include <cstddef>
#include <span>

#include "program/interpret.h"

namespace cambium::compile {

program::Array array_of(DType dtype, std::span<const std::byte> bytes);
void store(const program::Array& array, std::span<std::byte> bytes);

}  // namespace cambium::compile
