// Feature columns about what a block reads and writes: its largest accesses with their reuse, and
// its operations per byte over growing parts of its loop nest. Called by features.cpp.
#pragma once

#include <cstddef>

#include "tune/analysis.h"
#include "tune/feature_columns.h"

namespace cambium::tune {

void write_access_features(const Analysis& analysis, std::size_t block, Columns& to);

}  // namespace cambium::tune
