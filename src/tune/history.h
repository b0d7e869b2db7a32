// What is known of one task: which programs were tried, the best of them with all that a search
// needs to go on from there, and how the best time fell. Refused trials count as tried. Of ordinary
// trials only names and times are kept, so memory stays flat. Called by the tuner and strategies.
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
  bool was_compared = false;  // `time` is by comparison
};

class History {
 public:
  // From now on no strategy proposes it again, whatever becomes of it.
  void take(Fingerprint scheduled) { taken_.insert(scheduled); }
  const Taken& taken() const { return taken_; }

  // The next trial; `time` nothing: it was refused.
  void add(Individual individual, std::int64_t number, const std::optional<Measurement>& time,
           bool was_compared = false);
  // A trial from before that is not made again, since there are so many: it counts, and that is
  // all.
  void add_old(Fingerprint scheduled, bool was_refused);
  // The word of a comparison about one of the best.
  void compared(Fingerprint scheduled, const Measurement& time);
  void refuse(Fingerprint scheduled);

  std::int64_t trials() const { return static_cast<std::int64_t>(best_after_.size()); }
  std::int64_t refused() const { return refused_; }
  std::span<const Tried> best() const { return best_; }  // the fastest first
  // By the number of trials: after the first, the second...; infinite while all were refused.
  std::span<const double> best_after() const { return best_after_; }
  double best_seconds() const { return best_.empty() ? kRefusedSeconds : best_[0].time.value; }

  // The schedule of all preferred decisions, measured or not: where a search may begin.
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

// What models learn from: a bounded part of all trials of all tasks, every one of them as likely to
// be in it as any other.
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
