// Measures the speed of the coordinate space: operators found per second in the setting of the
// paper's ablation, primitives applied and distances computed per second, and the memory of a
// state. Seconds are processor time, because machines are shared.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "spaces/coordinate/synthesis/sample.h"

namespace cambium::bench {

struct SamplingOptions {
  double seconds = 60;
  int primitives = 12;
  spaces::coordinate::synthesis::Guide guide = spaces::coordinate::synthesis::SampleOptions{}.guide;
  std::uint64_t seed = 1;
};

// Distinct operators after so many trials and seconds.
struct SynthPoint {
  double seconds = 0;
  std::uint64_t trials = 0, valid = 0, distinct = 0;
};

struct SynthNumbers {
  std::vector<SynthPoint> curve;  // the last one is the end
  double start_seconds = 0;       // making the space and listing its reductions
  std::uint64_t over_budget = 0, dead_ends = 0;
  std::uint64_t applications = 0, refused = 0;  // canonical checks passed and failed
  std::uint64_t states = 0;
  double bytes_per_state = 0;  // states and their coordinates

  const SynthPoint& end() const { return curve.back(); }
  double per_second() const { return static_cast<double>(end().distinct) / end().seconds; }
  double share(std::uint64_t part) const {
    return static_cast<double>(part) / static_cast<double>(end().trials);
  }
};

// Samples with 0.15 to 0.9 of the MACs of the convolution 3x3. Distinct operators compute different
// functions; telling them apart is part of the time.
Result<SynthNumbers> measure_sampling(const SamplingOptions& options);

struct SynthSpeeds {
  double applications_per_second = 0;  // a primitive applied, its canonical check before it
  double distance_median_ns = 0;       // as sampling meets them, first times included
  double distance_cold_median_ns = 0;  // shapes never seen before
};
Result<SynthSpeeds> measure_speeds(std::uint64_t seed);

}  // namespace cambium::bench
