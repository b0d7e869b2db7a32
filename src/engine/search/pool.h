// The local executor: a pool of worker processes on this machine. Workers of one kind serve the
// evaluators that they know, one job at a time, and stay warm; one that dies, or does not answer in
// time, is replaced and its job tried once more with nothing beside it, so that what dies of its
// neighbours is told from what dies of its own. Refuses nothing: what cannot be done is a result.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/conversation.h"
#include "engine/search/job_lines.h"
#include "search/executor.h"

namespace cambium::engine {

struct WorkerKind {
  std::vector<std::string> argv;
  // What its evaluators depend on, by name.
  std::map<std::string, search::Offer> evaluators;
  int workers = 1;
  bool is_alone = false;  // its jobs run with no other beside them: times are measured
  double seconds = 600;   // that a job may take
  std::int64_t memory_bytes = 0;
};

class LocalPool final : public search::Executor {
 public:
  // `absences`: why evaluators that no kind has are not here.
  LocalPool(JobSetting setting, std::vector<WorkerKind> kinds,
            std::map<std::string, std::string> absences);
  ~LocalPool() override;

  Result<search::Offer> offer(const std::string& evaluator) const override;
  void submit(search::Job job) override;
  std::optional<search::JobResult> wait(double seconds) override;
  void cancel() override;

  std::int64_t deaths() const { return deaths_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    search::Job job;
    std::size_t kind = 0;
    bool is_retried = false;
    std::string first_death;
  };
  struct Worker {
    std::size_t kind = 0;
    std::optional<Conversation> process;
    std::optional<Waiting> work;
    Clock::time_point begin;
  };

  std::optional<std::size_t> kind_of(const std::string& evaluator) const;
  void dispatch();
  bool may_start(const Waiting& waiting) const;
  void start(Worker& worker, Waiting waiting);
  // What a worker said or failed to say; nothing: it is still at work.
  std::optional<search::JobResult> listen(Worker& worker);
  std::optional<search::JobResult> bury(Worker& worker, const std::string& how);
  search::JobResult give_up(Worker& worker, double limit);
  void sleep_until_heard(double seconds);

  JobSetting setting_;
  std::vector<WorkerKind> kinds_;
  std::map<std::string, std::string> absences_;
  std::vector<Worker> workers_;
  std::deque<Waiting> queue_;
  std::deque<search::JobResult> ended_;  // without having been run
  std::int64_t deaths_ = 0;
};

}  // namespace cambium::engine
