// The learning rate of a step, for each law. Pure functions; the trainer asks before every step.
#pragma once

#include <cstdint>

#include "train/recipe.h"

namespace cambium::train {

// 0 <= step < steps. With w = warmup * steps, rounded, and as shares of the peak: before step w the
// rate rises linearly from `start`; at step w it is 1. Then
//   Constant   stays 1,
//   MultiStep  is multiplied by `factor` from step milestone * steps (rounded) on, for each,
//   Cosine     falls to `end` at the last step along half a cosine,
//   OneCycle   falls to `end` at the last step linearly.
double rate_at(const RateOptions& options, std::int64_t step, std::int64_t steps);

}  // namespace cambium::train
