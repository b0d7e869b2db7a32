// How long models take forward and backward, measured in turns so that what disturbs one disturbs
// the others too. All inputs and weights get their gradients, as inside of a network that trains.
// Refuses what libtorch does not compute. Called by `cambium bench train`.
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
  bool recognizes = true;  // false: operators run as they are written
};

struct PassOptions {
  Device device;
  int rounds = 10;
  double seconds = 0.02;     // of each case in each round, at least
  double most_seconds = 10;  // of all rounds: behind it none begins, once three have ended
  std::uint64_t seed = 1;    // of inputs and of gradients of outputs
};

// By case, by round: the seconds of one pass.
Result<std::vector<std::vector<double>>> time_passes(std::span<const PassCase> cases,
                                                     const PassOptions& options);

}  // namespace cambium::train
