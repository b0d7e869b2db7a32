// Executor: where evaluations that take time or run foreign code happen. A port: the local pool of
// workers, a cluster, or a fake in tests. Jobs are texts; a job that kills its worker is a result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/study.h"

namespace cambium::search {

struct Job {
  std::int64_t id = 0;  // the caller's own
  store::EvaluationKey key;
  std::string candidate;  // JSON; no edits: the original
  // The original's curve under the same key but for the candidate, by epoch; empty where there is
  // none. The key does not name it: a study holds one original, evaluated before all others.
  std::vector<double> reference;
};

struct JobResult {
  std::int64_t id = 0;
  store::Evaluation evaluation;
  std::vector<store::Artifact> artifacts;
  std::string device;  // that it ran on, where there is a choice; may be empty
};

// What an evaluator's results depend on beside the job.
struct Offer {
  std::string version;
  Fingerprint machine;     // all zero: none
  double job_seconds = 0;  // that a job may take; 0: no limit
  int at_a_time = 1;       // jobs of it that run at once
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Refuses (Unavailable) an evaluator that is not there on this machine, and says why.
  virtual Result<Offer> offer(const std::string& evaluator) const = 0;
  virtual void submit(Job job) = 0;  // never blocks
  // The next that has ended, in whatever order; nothing when the time is over or none is under way.
  virtual std::optional<JobResult> wait(double seconds) = 0;
  virtual void cancel() = 0;  // what has not ended ends without a result
};

}  // namespace cambium::search
