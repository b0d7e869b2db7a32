// An executor for tests: values follow from the candidate alone, results come in a random order,
// and what was evaluated is counted. Some candidates are refused, some evaluators may be absent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "search/executor.h"

namespace cambium::search::testing {

class FakeExecutor final : public Executor {
 public:
  // The seed decides the order of results.
  explicit FakeExecutor(std::uint64_t seed = 1) : rng_(seed) {}

  Result<Offer> offer(const std::string& evaluator) const override;
  void submit(Job job) override;
  std::optional<JobResult> wait(double seconds) override;
  void cancel() override { waiting_.clear(); }

  std::set<std::string> absent;      // evaluators
  std::set<std::string> estimating;  // evaluators that give estimates
  bool refuses_original = false;
  bool is_negative = false;  // proxies give negative scores
  // After so many evaluations every further one fails for this reason, as when a GPU is lost; 0:
  // none fails.
  std::int64_t sound = 0;
  Reason breaks_with = Reason::Unavailable;
  double job_seconds = 0;        // limit for a job
  std::set<Fingerprint> deadly;  // candidates that kill their worker wherever they are evaluated
  double milliseconds = 0;       // that a job takes
  double seconds = 0.25;         // that it reports
  std::function<void(const Job&)> watch;  // is called with each finished job, before its result

  // The curve of a training that ends with this value.
  static std::vector<double> curve(double value) { return {0.5, 0.6 + 0.3 * value}; }

  // How often each key was evaluated.
  const std::map<store::EvaluationKey, int>& evaluated() const { return evaluated_; }
  std::int64_t count() const { return count_; }

 private:
  JobResult result_of(const Job& job);

  Rng rng_;
  std::vector<Job> waiting_;
  std::map<store::EvaluationKey, int> evaluated_;
  std::int64_t count_ = 0;
};

}  // namespace cambium::search::testing
