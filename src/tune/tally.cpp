#include "tune/tally.h"

#include <algorithm>
#include <utility>

namespace cambium::tune {

Tally::Tally(const std::vector<Task>& tasks)
    : results_(tasks.size()), default_seconds_(tasks.size(), 0.0) {
  for (std::size_t i = 0; i < tasks.size(); ++i) results_[i].name = tasks[i].name;
}

void Tally::reuse(std::size_t task, const History& known, const RefusalCounts& refused) {
  TaskResult& result = results_[task];
  result.trials = result.reused = known.trials();
  result.refused = known.refused();
  for (const auto& [reason, times] : refused) refusals_[reason] += times;
  done_ += known.trials();
  if (known.default_tried.has_value()) default_seconds_[task] = known.default_tried->time.value;
}

void Tally::count(const FinishedTrial& finished) {
  const std::size_t task = finished.trial.task;
  TaskResult& result = results_[task];
  ++result.trials;
  ++done_;
  ++done_now_;
  in_work_ = task;
  if (!finished.result.ok()) {
    refuse(task, finished.result.rejection().reason());
    return;
  }
  const Measurement& time = *finished.result;
  if (result.best_time.value == 0 || time.value < result.best_time.value) result.best_time = time;
  if (finished.trial.individual.strategy == "default") default_seconds_[task] = time.value;
}

void Tally::refuse(std::size_t task, Reason reason) {
  ++results_[task].refused;
  ++refusals_[std::string(name_of(reason))];
}

void Tally::blame_bench(std::size_t task, const Rejection& fault) {
  results_[task].fault = fault;
}

bool Tally::has_nothing() const {
  return !results_.empty() &&
         std::all_of(results_.begin(), results_.end(), [](const TaskResult& task) {
           return task.fault.has_value() && task.best_time.value == 0;
         });
}

void Tally::conclude(std::size_t task, const Tried* best) {
  TaskResult& result = results_[task];
  result.best = {};
  result.best_time = {};
  result.was_compared = false;
  if (best == nullptr) return;
  const Individual& individual = best->individual;
  result.best = {individual.trace, individual.scheduled, individual.strategy};
  result.best_time = best->time;
  result.was_compared = best->was_compared;
}

Progress Tally::progress(const Proposer& proposer, std::int64_t planned, double now,
                         double limit) const {
  Progress progress;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const TaskResult& result = results_[i];
    progress.tasks.push_back({result.name, result.trials, result.refused, result.best_time.value,
                              default_seconds_[i], proposer.roofline_seconds(i),
                              result.is_settled});
  }
  progress.done = done_;
  progress.planned = std::max(planned, done_);
  progress.seconds = now;
  if (limit > 0) {
    progress.seconds_left = std::max(0.0, limit - now);
  } else if (done_now_ > 0) {
    progress.seconds_left =
        now / static_cast<double>(done_now_) * static_cast<double>(progress.planned - done_);
  }
  progress.refusals = refusals_;
  if (!results_.empty()) progress.now = results_[in_work_].name;
  return progress;
}

TuneResult Tally::result(const Proposer& proposer) {
  TuneResult result;
  result.tasks = std::move(results_);
  result.refusals = refusals_;
  result.free_refusals = proposer.refusals();
  return result;
}

}  // namespace cambium::tune
