// Checks of CLI11 that take the numbers of a range (engine/ranges.h). Unlike CLI11's own, they
// refuse what is not a number, `nan` too.
#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

#include "base/range.h"

namespace cambium::cli {

CLI::Validator within(const Range<int>& range);
CLI::Validator within(const Range<std::int64_t>& range);
CLI::Validator within(const Range<double>& range);

}  // namespace cambium::cli
