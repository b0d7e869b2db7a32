// What came of every task so far: counts, times and refusals, as the progress shows them and the
// result gives them. Called by the tuner.
#pragma once

#include <cstdint>
#include <vector>

#include "tune/history.h"
#include "tune/pipeline.h"
#include "tune/proposer.h"
#include "tune/tuner.h"

namespace cambium::tune {

class Tally {
 public:
  explicit Tally(const std::vector<Task>& tasks);

  // From earlier runs; `refused`: those that were refused then, by reason.
  void reuse(std::size_t task, const History& known, const RefusalCounts& refused);
  void count(const FinishedTrial& finished);
  void refuse(std::size_t task, Reason reason);  // one that was counted as measured
  void blame_bench(std::size_t task, const Rejection& fault);
  bool is_blamed(std::size_t task) const { return results_[task].fault.has_value(); }
  bool has_nothing() const;  // every task ended by a fault of the bench, before anything was timed
  const Rejection& first_fault() const { return *results_[0].fault; }
  void settle(std::size_t task, bool is_settled) { results_[task].is_settled = is_settled; }
  // The best of a task, or that there is none.
  void conclude(std::size_t task, const Tried* best);
  void work_on(std::size_t task) { in_work_ = task; }

  // `planned` counts trials; `limit` of seconds 0: there is none.
  Progress progress(const Proposer& proposer, std::int64_t planned, double now, double limit) const;
  TuneResult result(const Proposer& proposer);

 private:
  std::vector<TaskResult> results_;
  std::vector<double> default_seconds_;
  std::int64_t done_ = 0, done_now_ = 0;
  RefusalCounts refusals_;
  std::size_t in_work_ = 0;  // the task that was heard of last
};

}  // namespace cambium::tune
