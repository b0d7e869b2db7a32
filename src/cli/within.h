// CLI11 validators for the ranges of engine/ranges.h. Unlike those of CLI11, they refuse words that
// are not numbers, and `nan`.
#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

#include "base/range.h"

namespace cambium::cli {

CLI::Validator within(const Range<int>& range);
CLI::Validator within(const Range<std::int64_t>& range);
CLI::Validator within(const Range<double>& range);

}  // namespace cambium::cli
