// Measures how well scores order measured examples: Spearman's correlation, and how good the best
// of the top few is. Called by cost models on examples that they did not learn from, and by
// benchmarks.
#pragma once

#include <span>
#include <vector>

#include "tune/cost_model.h"

namespace cambium::tune {

// The mean over programs with three or more examples that ran; `held_out` is the number of these
// examples.
ModelQuality quality_of(std::span<const Example> examples, std::span<const double> scores);

}  // namespace cambium::tune
