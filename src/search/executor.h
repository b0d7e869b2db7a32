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
  std::int64_t id = 0;  // the driver's own
  store::EvaluationKey key;
  std::string candidate;    // JSON; empty edits: the original
  std::string resume_from;  // a checkpoint of a lower fidelity, or empty
};

struct JobResult {
  std::int64_t id = 0;
  store::Evaluation evaluation;
  std::vector<store::Artifact> artifacts;
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Whether it can evaluate this here at all; why not otherwise (in words, for the study).
  virtual std::optional<std::string> absence(const std::string& evaluator) const = 0;
  virtual int slots() const = 0;     // jobs that run at once
  virtual void submit(Job job) = 0;  // never blocks
  // The next that has ended, in whatever order; nothing when the time is over or none is under way.
  virtual std::optional<JobResult> wait(double seconds) = 0;
  virtual void cancel() = 0;  // what has not ended ends without a result
};

}  // namespace cambium::search
