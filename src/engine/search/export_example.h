// The native library of an export as a program of ten lines that calls it, in C. Made from what the
// library's manifest says (docs/schema/manifest.json), so names and sizes are those of the library.
// Refuses a manifest that is none. Called by `cambium export`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::engine {

// A program that reads the inputs one behind another on standard input, as the bytes of their
// elements, and prints the elements of the outputs, one a line.
Result<std::string> c_example(std::string_view manifest);

}  // namespace cambium::engine
