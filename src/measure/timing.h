// Times that are reliable on a shared machine. Ranking takes a warm-up, then the minimum of short
// slices, scaled by a calibration loop: it is cheap and orders candidates. Comparison runs two
// calls alternately and takes the median of the ratios of neighbours: only comparisons are
// reported. The runner times kernels with these functions, benchmarks time any call.
#pragma once

#include <cstdint>
#include <functional>

#include "base/fields.h"

namespace cambium::measure {

enum class Caches : std::uint8_t { Warm, Cold };
enum class Clock : std::uint8_t {
  Wall,
  ThreadCpu,  // of the calling thread only: ignores other processes, and other threads of the
              // kernel
};

// A burst is a warm-up and then slices with equal numbers of calls, each long enough for the clock.
// A call longer than kLongCall is a slice of its own; then there are as many slices as fit
// kLongBurst, but at least two.
struct BurstOptions {
  double warmup_seconds = 1e-3;
  double slice_seconds = 3e-4;
  std::int64_t slices = 8;
  Caches caches = Caches::Warm;  // cold: caches are emptied before each slice of one call
  Clock clock = Clock::Wall;
  CAMBIUM_FIELDS(f("warmup", s.warmup_seconds), f("slice", s.slice_seconds), f("slices", s.slices),
                 f("caches", s.caches), f("clock", s.clock))
};
inline constexpr double kLongCall = 2e-3, kLongBurst = 30e-3;

using Call = std::function<void()>;

// Seconds since some moment; a test may have a clock of its own.
using Now = std::function<double(Clock)>;
double clock_seconds(Clock clock);

struct Burst {
  double seconds = 0;  // for one call, in the fastest slice
  double spread = 0;   // relative: how far the median slice is above the fastest
  std::int64_t slices = 0;
  std::int64_t calls_per_slice = 0;
};
Burst time_burst(const Call& call, const BurstOptions& options = {},
                 const Now& now = clock_seconds);

struct Bursts {
  double seconds = 0;  // for one call: the median of the bursts
  double spread = 0;   // relative: the median distance of the bursts from that
  std::int64_t count = 0;
};
Bursts time_bursts(const Call& call, std::int64_t count, const BurstOptions& options = {},
                   const Now& now = clock_seconds);

struct RankingOptions {
  BurstOptions burst;
  double moved = 0.05;  // repeat the burst while calibration changed by more than this around it
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
  double pause_seconds = 0;  // between the two; libraries whose threads spin need 0.05
  CAMBIUM_FIELDS(f("burst", s.burst), f("rounds", s.rounds), f("pause", s.pause_seconds))
};
struct Comparison {
  double ratio = 0;          // their time over ours; above 1, ours is faster
  double spread = 0;         // relative: median distance of the rounds' ratios from `ratio`
  double low = 0, high = 0;  // quartiles of the rounds' ratios
  double ours_seconds = 0, theirs_seconds = 0;  // medians over the rounds; informative only
  std::int64_t rounds = 0;
  CAMBIUM_FIELDS(f("ratio", s.ratio), f("spread", s.spread), f("low", s.low), f("high", s.high),
                 f("ours", s.ours_seconds), f("theirs", s.theirs_seconds), f("rounds", s.rounds))
};
Comparison compare(const Call& ours, const Call& theirs, const ComparisonOptions& options = {},
                   const Now& now = clock_seconds);

}  // namespace cambium::measure
