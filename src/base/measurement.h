// Measurement: a measured number together with the spread and count of its samples, its machine
// and, for the time of a kernel, the distance of its result from the oracle's.
#pragma once

#include "base/fingerprint.h"

namespace cambium {

struct Measurement {
  double value = 0;
  double spread = 0;  // relative: median distance of the samples from `value`, over `value`
  int samples = 0;
  Fingerprint machine;   // fingerprint_of(Machine)
  double max_error = 0;  // as a share of the allowed rounding error: at most 1 in a correct result
};

}  // namespace cambium
