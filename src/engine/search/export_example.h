// A ten-line C program that calls the native library of an export. It is made from the manifest of
// the library (docs/schema/manifest.json), so names and sizes match. Refuses a bad manifest. Called
// by `cambium export`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::engine {

// The program reads the bytes of all inputs, one after the other, from standard input. It prints
// the elements of the outputs, one on each line.
Result<std::string> c_example(std::string_view manifest);

}  // namespace cambium::engine
