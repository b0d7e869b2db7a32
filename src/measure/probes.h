// Small loops of known cost, one form per instruction set, in plain C++ (no code generator): what
// ceilings are probed with and what ranking is calibrated by.
#pragma once

#include <cstdint>

#include "base/machine.h"

namespace cambium::measure {

struct Probes {
  std::int64_t lanes;   // f32 of a vector
  std::int64_t chains;  // of fused multiply-adds that do not wait for each other
  // `iterations` times a fused multiply-add of vectors in each chain.
  float (*fma)(std::int64_t iterations);
  // Reads the floats once, `count` a multiple of kReadUnroll * lanes, `data` aligned to a vector.
  float (*read)(const float* data, std::int64_t count);
};

inline constexpr std::int64_t kReadUnroll = 8;

// The form of an instruction set that this processor executes.
const Probes& probes_of(Isa isa);
// The widest of them.
const Probes& host_probes();

// Seconds of the calibration loop (about 30 microseconds): the best of a few.
double calibration_seconds();

}  // namespace cambium::measure
