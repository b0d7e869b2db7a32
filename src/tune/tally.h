// Counts, times and refusals of every task so far, for the progress display and for the result.
// Called by the tuner.
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

  // Counts the trials of earlier runs; `refused` has those that were refused, by reason.
  void reuse(std::size_t task, const History& known, const RefusalCounts& refused);
  void count(const FinishedTrial& finished);
  void refuse(std::size_t task, Reason reason);  // a trial that was counted as measured
  void blame_bench(std::size_t task, const Rejection& fault);
  bool is_blamed(std::size_t task) const { return results_[task].fault.has_value(); }
  bool has_nothing() const;  // a fault of the bench ended every task before anything was timed
  const Rejection& first_fault() const { return *results_[0].fault; }
  void settle(std::size_t task, bool is_settled) { results_[task].is_settled = is_settled; }
  // Sets the best of a task; nullptr: there is none.
  void conclude(std::size_t task, const Tried* best);
  void work_on(std::size_t task) { in_work_ = task; }

  // `planned` counts trials; a `limit` of 0 seconds means no limit.
  Progress progress(const Proposer& proposer, std::int64_t planned, double now, double limit) const;
  TuneResult result(const Proposer& proposer);

 private:
  std::vector<TaskResult> results_;
  std::vector<double> default_seconds_;
  std::int64_t done_ = 0, done_now_ = 0;
  RefusalCounts refusals_;
  std::size_t in_work_ = 0;  // the task of the last event
};

}  // namespace cambium::tune
