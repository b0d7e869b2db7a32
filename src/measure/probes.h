// Small loops of known cost, one form per instruction set, in plain C++ without a code generator.
// They probe ceilings and calibrate rankings.
#pragma once

#include <cstdint>

#include "base/machine.h"

namespace cambium::measure {

struct Probes {
  std::int64_t lanes;   // f32 values in a vector
  std::int64_t chains;  // independent chains of fused multiply-adds
  // Executes `iterations` fused multiply-adds of vectors in each chain.
  float (*fma)(std::int64_t iterations);
  // Reads the floats once. `count` is a multiple of kReadUnroll * lanes, and `data` is aligned to a
  // vector.
  float (*read)(const float* data, std::int64_t count);
};

inline constexpr std::int64_t kReadUnroll = 8;

// The loops for an instruction set that this processor executes.
const Probes& probes_of(Isa isa);
// The loops for the widest instruction set of this processor.
const Probes& host_probes();

// Time of the calibration loop (about 30 microseconds): the best of a few runs.
double calibration_seconds();

}  // namespace cambium::measure
