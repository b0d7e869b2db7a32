// How long models take forward and backward, measured in turns so that disturbances affect all of
// them. All inputs and weights get their gradients, as inside a network that trains. Refuses what
// libtorch does not compute. Called by `cambium bench train`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "train/device.h"
#include "train/recipe.h"

namespace cambium::train {

struct PassCase {
  model::Model model;
  bool channels_last = false;
  Precision precision = Precision::F32;
  bool recognizes = true;  // false: operators run as written
};

struct PassOptions {
  Device device;
  int rounds = 10;
  double seconds = 0.02;     // at least, for each case in each round
  double most_seconds = 10;  // for all rounds; afterwards no round begins, but at least three run
  std::uint64_t seed = 1;    // for inputs and gradients of outputs
};

// The seconds of one pass, by case and round.
Result<std::vector<std::vector<double>>> time_passes(std::span<const PassCase> cases,
                                                     const PassOptions& options);

}  // namespace cambium::train
