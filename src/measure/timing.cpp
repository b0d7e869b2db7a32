#include "measure/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include <time.h>

#include "base/machine.h"
#include "base/quantile.h"
#include "measure/probes.h"

namespace cambium::measure {
namespace {

// Walks memory that no cache holds, so that what was there has left.
class Eviction {
 public:
  // What a processor calls its last level may be the sum of many, of which a core sees one.
  Eviction()
      : bytes_(static_cast<std::size_t>(
            std::clamp<std::int64_t>(2 * host_machine().l3_bytes, 16 << 20, 128 << 20))) {
    memory_ = std::make_unique<volatile char[]>(bytes_);
  }
  void operator()() {
    for (std::size_t i = 0; i < bytes_; i += 64) memory_[i] = static_cast<char>(memory_[i] + 1);
  }

 private:
  std::size_t bytes_;
  std::unique_ptr<volatile char[]> memory_;
};

// A thing to be timed, with what was found out about it: how many calls make a slice.
class Subject {
 public:
  Subject(const Call& call, const BurstOptions& options, const Now& now)
      : call_(call), options_(options), now_(now) {
    if (options.caches == Caches::Cold) evict_ = std::make_unique<Eviction>();
  }

  Burst burst() {
    warm_up();
    std::vector<double> slices;
    for (std::int64_t i = 0; i < slices_; ++i) slices.push_back(slice());
    const double best = *std::min_element(slices.begin(), slices.end());
    return {best, best > 0 ? median(slices) / best - 1 : 0, slices_, calls_};
  }

 private:
  // At least one call, then until the time is over; the fastest call says how long a slice is.
  void warm_up() {
    const double begin = now_(Clock::Wall);
    double last = begin, fastest = 1e9;
    std::int64_t pack = 1;
    do {
      for (std::int64_t i = 0; i < pack; ++i) call_();
      const double end = now_(Clock::Wall);
      fastest = std::min(fastest, (end - last) / static_cast<double>(pack));
      last = end;
      if (fastest < 1e-5) pack = std::min<std::int64_t>(2 * pack, 64);  // the clock costs too
    } while (last - begin < options_.warmup_seconds);
    calls_ = 1;
    slices_ = options_.slices;
    if (evict_) return;
    if (fastest < options_.slice_seconds) {
      calls_ = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(options_.slice_seconds / std::max(fastest, 1e-9)));
    }
    if (fastest > kLongCall) {
      const auto affordable = static_cast<std::int64_t>(kLongBurst / fastest);
      slices_ = std::clamp<std::int64_t>(affordable, 2, std::max<std::int64_t>(slices_, 2));
    }
  }

  double slice() {
    if (evict_) (*evict_)();
    const double begin = now_(options_.clock);
    for (std::int64_t i = 0; i < calls_; ++i) call_();
    return (now_(options_.clock) - begin) / static_cast<double>(calls_);
  }

  const Call& call_;
  const BurstOptions& options_;
  const Now& now_;
  std::int64_t calls_ = 1, slices_ = 1;
  std::unique_ptr<Eviction> evict_;
};

// The median distance of the values from their median, relative to that.
double spread_about(double middle, const std::vector<double>& values) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value / middle - 1));
  return median(distances);
}

}  // namespace

double clock_seconds(Clock clock) {
  timespec t{};
  ::clock_gettime(clock == Clock::Wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Burst time_burst(const Call& call, const BurstOptions& options, const Now& now) {
  return Subject(call, options, now).burst();
}

Bursts time_bursts(const Call& call, std::int64_t count, const BurstOptions& options,
                   const Now& now) {
  Subject subject(call, options, now);
  std::vector<double> seconds;
  for (std::int64_t i = 0; i < count; ++i) seconds.push_back(subject.burst().seconds);
  const double middle = median(seconds);
  return {middle, spread_about(middle, seconds), count};
}

Ranking rank(const Call& call, const RankingOptions& options) {
  const Now now = clock_seconds;
  Subject subject(call, options.burst, now);
  Ranking best;
  double least_moved = 0;
  for (std::int64_t attempt = 1; attempt <= std::max<std::int64_t>(options.attempts, 1);
       ++attempt) {
    const double before = calibration_seconds();
    const Burst burst = subject.burst();
    const double after = calibration_seconds();
    const double moved = std::abs(after / before - 1);
    if (attempt == 1 || moved < least_moved) {
      least_moved = moved;
      best.burst = burst;
      best.calibration = (before + after) / 2;
    }
    best.attempts = attempt;
    if (moved <= options.moved) break;
  }
  return best;
}

Comparison compare(const Call& ours, const Call& theirs, const ComparisonOptions& options,
                   const Now& now) {
  Subject first(ours, options.burst, now), second(theirs, options.burst, now);
  std::vector<double> a, b, ratios;
  const auto pause = [&] {
    if (options.pause_seconds > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(options.pause_seconds));
    }
  };
  for (std::int64_t round = 0; round < std::max<std::int64_t>(options.rounds, 1); ++round) {
    // Who goes first changes, so that a drift of the clock favours neither.
    double seconds[2];
    for (int turn = 0; turn < 2; ++turn) {
      const int who = (turn + static_cast<int>(round)) % 2;
      pause();
      seconds[who] = (who == 0 ? first : second).burst().seconds;
    }
    a.push_back(seconds[0]);
    b.push_back(seconds[1]);
    ratios.push_back(seconds[1] / seconds[0]);
  }
  Comparison result;
  result.ratio = median(ratios);
  result.spread = spread_about(result.ratio, ratios);
  result.low = quantile(ratios, 0.25);
  result.high = quantile(ratios, 0.75);
  result.ours_seconds = median(a);
  result.theirs_seconds = median(b);
  result.rounds = static_cast<std::int64_t>(ratios.size());
  return result;
}

}  // namespace cambium::measure
