// Everything known about one task: the programs that were tried, the best of them with all facts
// that a search needs to continue from them, and the course of the best time. Refused trials count
// as tried. For other trials only fingerprints and times are kept, so memory stays flat. Called by
// the tuner and strategies.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tune/cost_model.h"
#include "tune/generator.h"

namespace cambium::tune {

inline constexpr double kRefusedSeconds = std::numeric_limits<double>::infinity();

struct Tried {
  Individual individual;
  std::int64_t number = 0;
  Measurement time;
  bool was_compared = false;  // `time` is from a comparison
};

class History {
 public:
  // From now on no strategy proposes this program again, whatever its result.
  void take(Fingerprint scheduled) { taken_.insert(scheduled); }
  const Taken& taken() const { return taken_; }

  // Adds the next trial; without a `time`, it was refused.
  void add(Individual individual, std::int64_t number, const std::optional<Measurement>& time,
           bool was_compared = false);
  // Counts a trial of an earlier run whose candidate is not made again, because there are too many.
  void add_old(Fingerprint scheduled, bool was_refused);
  // The result of a comparison for one of the best.
  void compared(Fingerprint scheduled, const Measurement& time);
  void refuse(Fingerprint scheduled);

  std::int64_t trials() const { return static_cast<std::int64_t>(best_after_.size()); }
  std::int64_t refused() const { return refused_; }
  std::span<const Tried> best() const { return best_; }  // the fastest first
  // The best time after the first trial, the second, and so on; infinite while all were refused.
  std::span<const double> best_after() const { return best_after_; }
  double best_seconds() const { return best_.empty() ? kRefusedSeconds : best_[0].time.value; }

  // The schedule with all preferred decisions, measured or not. A search may begin there.
  void set_default(Individual individual) { default_ = std::move(individual); }
  const std::optional<Individual>& default_schedule() const { return default_; }
  std::optional<Tried> default_tried;  // once it is measured

 private:
  Taken taken_;
  std::vector<Tried> best_;
  std::vector<double> best_after_;
  std::int64_t refused_ = 0;
  std::optional<Individual> default_;
};

// The examples from which models learn: a bounded sample of all trials of all tasks, in which every
// trial is equally likely.
class Examples {
 public:
  explicit Examples(std::size_t most) : most_(most) {}
  void add(Example example);
  std::span<const Example> all() const { return kept_; }
  std::int64_t seen() const { return seen_; }

 private:
  std::size_t most_;
  std::vector<Example> kept_;
  std::int64_t seen_ = 0;
};

}  // namespace cambium::tune
