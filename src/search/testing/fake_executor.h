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
  // Results come in the order of this seed.
  explicit FakeExecutor(std::uint64_t seed = 1) : rng_(seed) {}

  Result<Offer> offer(const std::string& evaluator) const override;
  void submit(Job job) override;
  std::optional<JobResult> wait(double seconds) override;
  void cancel() override { waiting_.clear(); }

  std::set<std::string> absent;  // evaluators
  bool refuses_original = false;
  bool is_negative = false;  // what proxies give
  // Every evaluation after so many that are not done again ends for this reason; none: 0. As when
  // a GPU is lost: no candidate's fault.
  std::int64_t sound = 0;
  Reason breaks_with = Reason::Unavailable;
  double job_seconds = 0;        // that a job may take
  std::set<Fingerprint> deadly;  // candidates that kill their worker wherever they are evaluated
  double milliseconds = 0;       // that a job takes
  double seconds = 0.25;         // that it says it took
  std::function<void(const Job&)> watch;  // hears of each job that was done, before its result

  // The curve of a training whose value is this.
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
