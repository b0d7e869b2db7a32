#include "engine/search/pool.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "base/check.h"
#include "base/text.h"

namespace cambium::engine {
namespace {

search::JobResult refused(std::int64_t id, const Rejection& why) {
  search::JobResult result;
  result.id = id;
  result.evaluation.state = store::EvaluationState::Refused;
  result.evaluation.reason = name_of(why.reason());
  result.evaluation.detail = why.message();
  return result;
}

}  // namespace

LocalPool::LocalPool(JobSetting setting, std::vector<WorkerKind> kinds,
                     std::map<std::string, std::string> absences, Now now)
    : setting_(std::move(setting)),
      kinds_(std::move(kinds)),
      absences_(std::move(absences)),
      now_(std::move(now)) {
  for (const std::string_view device : split(setting_.device, ',')) devices_.emplace_back(device);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    for (int i = 0; i < kinds_[kind].workers; ++i) {
      workers_.emplace_back();
      workers_.back().kind = kind;
      workers_.back().number = static_cast<std::size_t>(i);
    }
  }
}

LocalPool::~LocalPool() = default;

double LocalPool::steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<std::size_t> LocalPool::kind_of(const std::string& evaluator) const {
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (kinds_[kind].evaluators.count(evaluator) != 0) return kind;
  }
  return std::nullopt;
}

Result<search::Offer> LocalPool::offer(const std::string& evaluator) const {
  if (const auto kind = kind_of(evaluator)) {
    search::Offer offer = kinds_[*kind].evaluators.at(evaluator);
    offer.job_seconds = kinds_[*kind].seconds;
    offer.at_a_time = kinds_[*kind].workers;
    return offer;
  }
  const auto absence = absences_.find(evaluator);
  return Rejection(Reason::Unavailable, evaluator,
                   absence != absences_.end() ? absence->second
                                              : "no worker on this machine has this evaluator");
}

void LocalPool::submit(search::Job job) {
  const auto kind = kind_of(job.key.evaluator);
  CAMBIUM_CHECK(kind.has_value(), "a job for an evaluator that was not offered");
  Waiting waiting;
  waiting.job = std::move(job);
  waiting.kind = *kind;
  queue_.push_back(std::move(waiting));
  dispatch(false);
}

// Retried jobs and jobs that measure times need the machine for themselves.
bool LocalPool::is_alone(const Waiting& waiting) const {
  return waiting.is_retried || kinds_[waiting.kind].is_alone;
}

bool LocalPool::may_start(const Waiting& waiting, bool is_quiet) const {
  if (kinds_[waiting.kind].is_alone && !is_quiet) return false;
  return std::none_of(workers_.begin(), workers_.end(), [&](const Worker& worker) {
    return worker.work && (is_alone(waiting) || is_alone(*worker.work));
  });
}

// In the order of submission, so that a job that needs the machine for itself is not overtaken for
// ever.
void LocalPool::dispatch(bool is_quiet) {
  while (!queue_.empty()) {
    bool has_started = false;
    for (auto waiting = queue_.begin(); waiting != queue_.end(); ++waiting) {
      if (!may_start(*waiting, is_quiet)) break;
      const auto idle = std::find_if(workers_.begin(), workers_.end(), [&](const Worker& worker) {
        return worker.kind == waiting->kind && !worker.work;
      });
      if (idle == workers_.end()) continue;
      Waiting next = std::move(*waiting);
      queue_.erase(waiting);
      start(*idle, std::move(next));
      has_started = true;
      break;
    }
    if (!has_started) return;
  }
}

void LocalPool::start(Worker& worker, Waiting waiting) {
  const WorkerKind& kind = kinds_[worker.kind];
  JobSetting setting = setting_;
  setting.device = devices_[worker.number % devices_.size()];
  const std::string line = job_line(waiting.job, setting);
  for (Worker& other : workers_) {
    if (waiting.lacks_memory) other.process.reset();
    if (!other.work) continue;
    waiting.had_company = other.work->had_company = true;
  }
  worker.begin = now_();
  // A worker may have died while it was idle.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!worker.process) {
      ProcessLimits limits;
      limits.memory_bytes = kind.memory_bytes;
      auto started = Conversation::start(kind.argv, limits);
      if (!started.ok()) {
        ended_.push_back(refused(waiting.job.id, started.rejection()));
        return;
      }
      worker.process.emplace(std::move(started).value());
    }
    if (worker.process->say(line)) break;
    worker.process.reset();
  }
  worker.work = std::move(waiting);
}

// Retries the job with a new worker and with no other job beside it.
void LocalPool::try_alone(Worker& worker, const std::string& why) {
  Waiting again = std::move(*worker.work);
  worker.work.reset();
  worker.process.reset();
  again.is_retried = true;
  again.first_death = why;
  queue_.push_front(std::move(again));
}

std::optional<search::JobResult> LocalPool::bury(Worker& worker, const std::string& how) {
  ++deaths_;
  if (!worker.work->is_retried) {
    try_alone(worker, how);
    return std::nullopt;
  }
  search::JobResult result = refused(
      worker.work->job.id, Rejection(Reason::WorkerDied, fmt::format("{}; before that: {}", how,
                                                                     worker.work->first_death)));
  result.evaluation.seconds = now_() - worker.begin;
  worker.work.reset();
  worker.process.reset();
  return result;
}

// A job that timed out while running alone is not retried.
std::optional<search::JobResult> LocalPool::give_up(Worker& worker, double limit) {
  ++deaths_;
  (void)worker.process->end();
  const std::string how = fmt::format("it took longer than {:.0f} s", limit);
  if (worker.work->had_company && !worker.work->is_retried) {
    try_alone(worker, how);
    return std::nullopt;
  }
  search::JobResult result = refused(worker.work->job.id, Rejection(Reason::WorkerDied, how));
  result.evaluation.seconds = limit;
  worker.work.reset();
  worker.process.reset();
  return result;
}

std::optional<search::JobResult> LocalPool::answered(Worker& worker, search::JobResult result) {
  const bool lacks_memory = result.evaluation.state == store::EvaluationState::Refused &&
                            result.evaluation.reason == name_of(Reason::NotEnoughMemory);
  // Idle workers hold memory, too.
  const bool has_others = std::any_of(workers_.begin(), workers_.end(), [&](const Worker& other) {
    return &other != &worker && other.process.has_value();
  });
  if (lacks_memory && has_others && !worker.work->is_retried) {
    worker.work->lacks_memory = true;
    try_alone(worker, result.evaluation.detail);
    return std::nullopt;
  }
  worker.work.reset();
  // The chosen device stays: a search does not continue slowly when its GPU is lost.
  if (devices_ == std::vector<std::string>{"auto"} && !result.device.empty()) {
    devices_ = {result.device};
    if (hears_of_device_) hears_of_device_(result.device);
  }
  return result;
}

std::optional<search::JobResult> LocalPool::listen(Worker& worker) {
  const double limit = kinds_[worker.kind].seconds;
  if (!worker.process) return bury(worker, "it could not be started again");
  while (std::optional<std::string> line = worker.process->hear()) {
    const std::int64_t id = worker.work->job.id;
    auto result = parse_result(*line);
    if (result.ok() && result->id == id) return answered(worker, std::move(result).value());
    // An unreadable answer is an answer, too: no other will come. Other lines are output of
    // libraries, or late answers to other jobs.
    if (!result.ok() && is_result_of(*line, id)) {
      return answered(worker, refused(id, result.rejection()));
    }
  }
  if (worker.process->is_over()) return bury(worker, worker.process->end());
  const double taken = now_() - worker.begin;
  if (taken > limit) return give_up(worker, limit);
  return std::nullopt;
}

void LocalPool::sleep_until_heard(double seconds) {
  std::vector<pollfd> sources;
  for (const Worker& worker : workers_) {
    if (!worker.work || !worker.process) continue;
    sources.push_back({worker.process->descriptor(), POLLIN, 0});
    const double taken = now_() - worker.begin;
    seconds = std::min(seconds, std::max(0.0, kinds_[worker.kind].seconds - taken) + 0.001);
  }
  (void)::poll(sources.data(), sources.size(), static_cast<int>(std::ceil(seconds * 1e3)));
}

std::optional<search::JobResult> LocalPool::wait(double seconds) {
  const double deadline = steady_seconds() + seconds;
  for (;;) {
    if (ended_.empty()) dispatch(true);
    if (!ended_.empty()) {
      search::JobResult result = std::move(ended_.front());
      ended_.pop_front();
      return result;
    }
    bool is_busy = !queue_.empty();
    for (Worker& worker : workers_) {
      if (!worker.work) continue;
      is_busy = true;
      if (auto result = listen(worker)) {
        dispatch(false);
        return result;
      }
    }
    const double left = deadline - steady_seconds();
    if (!is_busy || left <= 0) return std::nullopt;
    sleep_until_heard(left);
  }
}

void LocalPool::cancel() {
  queue_.clear();
  ended_.clear();
  for (Worker& worker : workers_) {
    // Only busy workers; idle ones stay warm.
    if (worker.work) worker.process.reset();
    worker.work.reset();
  }
}

}  // namespace cambium::engine
