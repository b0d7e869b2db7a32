// The local executor: a pool of worker processes on this machine. Workers of one kind serve the
// evaluators that they know, one job at a time, and stay warm. One that dies is replaced and its
// job tried once more with nothing beside it, and so is one that had too little memory, or too
// little time while others ran: what dies of its neighbours is told from what dies of its own. Jobs
// that want to be alone run while the caller waits, and not while it works on an answer. Refuses
// nothing: what cannot be done is a result.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
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
  bool is_alone = false;          // its jobs run with no other beside them: times are measured
  double seconds = 600;           // that a job may take
  std::int64_t memory_bytes = 0;  // that a worker may have; 0: no limit
};

class LocalPool final : public search::Executor {
 public:
  // `absences`: why evaluators that no kind has are not here. The device of the setting may be
  // several, `cuda:0,cuda:1`: workers of a kind take them in turn.
  LocalPool(JobSetting setting, std::vector<WorkerKind> kinds,
            std::map<std::string, std::string> absences);
  ~LocalPool() override;

  // Hears of the device that `auto` turned out to be, when a worker has chosen it.
  void on_device(std::function<void(const std::string& device)> hears) {
    hears_of_device_ = std::move(hears);
  }

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
    bool had_company = false;   // another job ran beside it at some time
    bool lacks_memory = false;  // the first time: what idle workers hold is given back before
    std::string first_death;
  };
  struct Worker {
    std::size_t kind = 0;
    std::size_t number = 0;  // among those of its kind
    std::optional<Conversation> process;
    std::optional<Waiting> work;
    Clock::time_point begin;
  };

  std::optional<std::size_t> kind_of(const std::string& evaluator) const;
  // `is_quiet`: the caller waits, so that what wants to be alone is.
  void dispatch(bool is_quiet);
  bool is_alone(const Waiting& waiting) const;
  bool may_start(const Waiting& waiting, bool is_quiet) const;
  void start(Worker& worker, Waiting waiting);
  // What a worker said or failed to say; nothing: it is still at work.
  std::optional<search::JobResult> listen(Worker& worker);
  std::optional<search::JobResult> bury(Worker& worker, const std::string& how);
  std::optional<search::JobResult> give_up(Worker& worker, double limit);
  std::optional<search::JobResult> answered(Worker& worker, search::JobResult result);
  void try_alone(Worker& worker, const std::string& why);
  void sleep_until_heard(double seconds);

  JobSetting setting_;
  std::vector<std::string> devices_;  // of the setting
  std::function<void(const std::string&)> hears_of_device_;
  std::vector<WorkerKind> kinds_;
  std::map<std::string, std::string> absences_;
  std::vector<Worker> workers_;
  std::deque<Waiting> queue_;
  std::deque<search::JobResult> ended_;  // without having been run
  std::int64_t deaths_ = 0;
};

}  // namespace cambium::engine
