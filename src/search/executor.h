// Executor: runs the evaluations that take time or run foreign code. It is a port: the local pool
// of workers, a cluster, or a fake in tests. A job that kills its worker has a result, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/study.h"

namespace cambium::search {

struct Job {
  std::int64_t id = 0;  // chosen by the caller
  store::EvaluationKey key;
  std::string candidate;  // JSON; the original has no edits
  // The curve of the original under the same options, by epoch; may be empty. The key does not name
  // it, because a study has one original, which is evaluated before all candidates.
  std::vector<double> reference;
};

struct JobResult {
  std::int64_t id = 0;
  store::Evaluation evaluation;
  std::vector<store::Artifact> artifacts;
  std::string device;  // that the job ran on; empty: there is no choice
};

// What an evaluator on this machine offers. Its results depend on version and machine.
struct Offer {
  std::string version;
  Fingerprint machine;     // all zero: results do not depend on it
  double job_seconds = 0;  // limit for a job; 0: none
  int at_a_time = 1;       // jobs that run at once
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Refuses (Unavailable) an evaluator that this machine lacks, and says why.
  virtual Result<Offer> offer(const std::string& evaluator) const = 0;
  virtual void submit(Job job) = 0;  // never blocks
  // The next result, in any order. Nothing: the time is over, or no job is running.
  virtual std::optional<JobResult> wait(double seconds) = 0;
  virtual void cancel() = 0;  // ends all jobs without results
};

}  // namespace cambium::search
