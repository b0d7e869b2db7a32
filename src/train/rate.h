// The learning rate of a step, for each law. Pure functions; the trainer calls them before every
// step.
#pragma once

#include <cstdint>

#include "train/recipe.h"

namespace cambium::train {

// 0 <= step < steps. Let w = warmup * steps, rounded. As a share of the peak, the rate rises
// linearly from `start` before step w and is 1 at step w. Then it
//   Constant   stays 1,
//   MultiStep  is multiplied by `factor` at each step milestone * steps (rounded),
//   Cosine     falls to `end` at the last step along half a cosine,
//   OneCycle   falls to `end` at the last step linearly.
double rate_at(const RateOptions& options, std::int64_t step, std::int64_t steps);

}  // namespace cambium::train
