// How well scores order what was measured: Spearman's correlation and what the best of the top few
// is worth. Called by cost models on examples that they were not trained on, and by benchmarks.
#pragma once

#include <span>
#include <vector>

#include "tune/cost_model.h"

namespace cambium::tune {

// Per program of three or more examples that ran, then the mean; `held_out` is their number.
ModelQuality quality_of(std::span<const Example> examples, std::span<const double> scores);

}  // namespace cambium::tune
