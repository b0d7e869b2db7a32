// Random sequences of neural and preserving steps on a random convolution, with the table of what
// the result computes, for randomized tests. The same seed gives the same sequence.
#pragma once

#include <cstdint>
#include <string>

#include "schedule/neural/oracle_testing.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {

ConvSpec random_conv(std::uint64_t seed);

// Every step that is proposed is legal, so a refusal is a mistake, told in `error`.
struct RandomNeural {
  Schedule schedule;
  ConvTable table;
  int neural = 0;  // steps that changed the function
  std::string error;
};
RandomNeural random_neural(Context& cx, std::uint64_t seed);

}  // namespace cambium::schedule
