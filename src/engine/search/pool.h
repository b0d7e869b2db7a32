// The local executor: a pool of worker processes on this machine. The workers of a kind serve its
// evaluators, one job at a time, and stay warm. A worker that dies is replaced. Its job is retried
// once with no other job beside it; so is a job that ran out of memory, or out of time while others
// ran. This tells jobs that fail because of others from jobs that fail by themselves. Jobs that
// need the machine for themselves run only while the caller waits. Refuses nothing: failures are
// results.
#pragma once

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
  // Offers of its evaluators, by name.
  std::map<std::string, search::Offer> evaluators;
  int workers = 1;
  bool is_alone = false;          // its jobs measure times: no other job runs beside them
  double seconds = 600;           // limit for a job
  std::int64_t memory_bytes = 0;  // limit for a worker; 0: none
};

class LocalPool final : public search::Executor {
 public:
  // Seconds since some moment.
  using Now = std::function<double()>;

  // `absences`: why an evaluator is absent, by name. The setting may name several devices,
  // `cuda:0,cuda:1`: the workers of a kind take turns. `now`: the clock that limits jobs; a test
  // may have its own.
  LocalPool(JobSetting setting, std::vector<WorkerKind> kinds,
            std::map<std::string, std::string> absences, Now now = steady_seconds);
  ~LocalPool() override;

  // Is called with the device that a worker chose for `auto`.
  void on_device(std::function<void(const std::string& device)> hears) {
    hears_of_device_ = std::move(hears);
  }

  Result<search::Offer> offer(const std::string& evaluator) const override;
  void submit(search::Job job) override;
  std::optional<search::JobResult> wait(double seconds) override;
  void cancel() override;

  std::int64_t deaths() const { return deaths_; }

 private:
  struct Waiting {
    search::Job job;
    std::size_t kind = 0;
    bool is_retried = false;
    bool had_company = false;  // another job ran beside it
    bool lacks_memory =
        false;  // for the first time; idle workers free their memory before the retry
    std::string first_death;
  };
  struct Worker {
    std::size_t kind = 0;
    std::size_t number = 0;  // number within its kind
    std::optional<Conversation> process;
    std::optional<Waiting> work;
    double begin = 0;
  };

  static double steady_seconds();
  std::optional<std::size_t> kind_of(const std::string& evaluator) const;
  // `is_quiet`: the caller waits, so jobs that need the machine for themselves may run.
  void dispatch(bool is_quiet);
  bool is_alone(const Waiting& waiting) const;
  bool may_start(const Waiting& waiting, bool is_quiet) const;
  void start(Worker& worker, Waiting waiting);
  // The result of a worker, or its failure; nothing: it is still working.
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
  Now now_;
  std::vector<Worker> workers_;
  std::deque<Waiting> queue_;
  std::deque<search::JobResult> ended_;  // without having run
  std::int64_t deaths_ = 0;
};

}  // namespace cambium::engine
