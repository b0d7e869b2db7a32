// Times that survive a shared machine. Ranking: warm-up, then the minimum of short slices, scaled
// by a calibration loop; cheap, good for ordering candidates. Comparison: the two alternate and the
// median of the ratios of neighbours counts; the only kind of time that is reported. The runner
// times kernels with this, benchmarks anything that can be called.
#pragma once

#include <cstdint>
#include <functional>

#include "base/fields.h"

namespace cambium::measure {

enum class Caches : std::uint8_t { Warm, Cold };
enum class Clock : std::uint8_t {
  Wall,
  ThreadCpu,  // of the calling thread: blind to other processes, and to other threads of the kernel
};

// A burst: warm-up, then slices of equal numbers of calls, each long enough for the clock. A call
// longer than kLongCall is a slice of its own, as many as fit kLongBurst, but two at least.
struct BurstOptions {
  double warmup_seconds = 1e-3;
  double slice_seconds = 3e-4;
  std::int64_t slices = 8;
  Caches caches = Caches::Warm;  // cold: caches are emptied before each slice, which is one call
  Clock clock = Clock::Wall;
  CAMBIUM_FIELDS(f("warmup", s.warmup_seconds), f("slice", s.slice_seconds), f("slices", s.slices),
                 f("caches", s.caches), f("clock", s.clock))
};
inline constexpr double kLongCall = 2e-3, kLongBurst = 30e-3;

using Call = std::function<void()>;

struct Burst {
  double seconds = 0;  // of one call, in the fastest slice
  double spread = 0;   // relative: how far the median slice is above it
  std::int64_t slices = 0;
  std::int64_t calls_per_slice = 0;
};
Burst time_burst(const Call& call, const BurstOptions& options = {});

struct RankingOptions {
  BurstOptions burst;
  double moved = 0.05;  // the burst is done again while calibration moved more than this around it
  std::int64_t attempts = 5;
  CAMBIUM_FIELDS(f("burst", s.burst), f("moved", s.moved), f("attempts", s.attempts))
};
struct Ranking {
  Burst burst;
  double calibration = 0;  // seconds of the calibration loop around the burst
  std::int64_t attempts = 0;
};
Ranking rank(const Call& call, const RankingOptions& options = {});

struct ComparisonOptions {
  BurstOptions burst;
  std::int64_t rounds = 15;
  double pause_seconds = 0;  // between the two: libraries whose threads spin after a call need 0.05
  CAMBIUM_FIELDS(f("burst", s.burst), f("rounds", s.rounds), f("pause", s.pause_seconds))
};
struct Comparison {
  double ratio = 0;          // time of theirs over ours: above 1, ours is faster
  double spread = 0;         // relative: median distance of the rounds' ratios from it
  double low = 0, high = 0;  // quartiles of the rounds' ratios
  double ours_seconds = 0, theirs_seconds = 0;  // medians over the rounds; for orientation
  std::int64_t rounds = 0;
  CAMBIUM_FIELDS(f("ratio", s.ratio), f("spread", s.spread), f("low", s.low), f("high", s.high),
                 f("ours", s.ours_seconds), f("theirs", s.theirs_seconds), f("rounds", s.rounds))
};
Comparison compare(const Call& ours, const Call& theirs, const ComparisonOptions& options = {});

}  // namespace cambium::measure
