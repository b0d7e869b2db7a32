// The learning rate of a step, for each law. Pure functions; the trainer asks before every step.
#pragma once

#include <cstdint>

#include "train/recipe.h"

namespace cambium::train {

// 0 <= step < steps.
double rate_at(const RateOptions& options, std::int64_t step, std::int64_t steps);

}  // namespace cambium::train
