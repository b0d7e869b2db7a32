// Tally: number, mean and spread of rewards. Its arithmetic is the same on every machine, as that
// of base/random.h, so that a search takes the same course everywhere. Refuses nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/exact_log.h"
#include "search/snapshot.h"

namespace cambium::search {

// Mean and variance by Welford's rule, as floats: rewards are much noisier than that, and a tree
// keeps hundreds of thousands of tallies in memory and as text.
struct Tally {
  std::int64_t count = 0;
  float mean = 0, variance = 0;

  void add(double value) {
    ++count;
    const auto n = static_cast<double>(count);
    const double before = static_cast<double>(mean);
    const double after = before + (value - before) / n;
    const double spread = static_cast<double>(variance);
    mean = static_cast<float>(after);
    variance = static_cast<float>(
        std::max(0.0, spread + ((value - before) * (value - after) - spread) / n));
  }

  friend bool operator==(const Tally&, const Tally&) = default;
};

inline void write(SnapshotWriter& out, const Tally& tally) {
  out.number(tally.count);
  if (tally.count >= 1) out.real(tally.mean);
  if (tally.count >= 2) out.real(tally.variance);
}

inline Tally read_tally(SnapshotReader& in) {
  Tally tally;
  tally.count = in.number(0, std::int64_t{1} << 40);
  if (tally.count >= 1) tally.mean = in.real_float();
  if (tally.count >= 2) tally.variance = in.real_float();
  return tally;
}

// The width of the confidence bound of UCB1-tuned (Auer et al. 2002) for `count` of `all` rewards
// with this variance. Rewards are from 0 to 1.
inline double ucb_width(double count, double variance, double all) {
  const double log = exact_log(std::max(all, 1.0));
  return std::sqrt(log / count * std::min(0.25, variance + std::sqrt(2 * log / count)));
}

// The range of the values seen so far, to scale them to 0..1.
struct Range {
  double low = 0, high = 0;
  bool is_set = false;

  void add(double value) {
    low = is_set ? std::min(low, value) : value;
    high = is_set ? std::max(high, value) : value;
    is_set = true;
  }
  double scale() const { return high > low ? 1 / (high - low) : 1; }
  double place(double value) const { return (value - low) * scale(); }
};

inline void write(SnapshotWriter& out, const Range& range) {
  out.number(range.is_set ? 1 : 0).real(range.low).real(range.high);
}

inline Range read_range(SnapshotReader& in) {
  Range range;
  range.is_set = in.number(0, 1) == 1;
  range.low = in.real();
  range.high = in.real();
  return range;
}

}  // namespace cambium::search
