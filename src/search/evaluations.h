// Evaluations: the one way from a search to results. An evaluation is read from the study, shared
// with another asker, or run by the executor. Each result is stored before anybody sees it, so
// nothing is measured twice and nothing measured is lost. If another search of the study makes the
// evaluation at the moment, this one waits for it. An absent evaluator gives a pending evaluation.
// Refuses what the study refuses, and failures of the machine, which are never stored: Unavailable
// (a lost GPU, a full disk) and WorkerDied (even the original dies). Used by the driver.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "search/claims.h"
#include "search/elsewhere.h"
#include "search/executor.h"
#include "search/funnel.h"
#include "search/jobs.h"
#include "search/suspects.h"
#include "spaces/candidate.h"
#include "store/study_store.h"

namespace cambium::search {

// Estimates of the draft cost model in place of an absent evaluator, by metric.
using Estimates = std::map<std::string, store::StudyValue>;

struct Answer {
  std::int64_t asker = 0;
  store::Evaluation evaluation;
  bool was_known = false;  // from the study or from another asker
};

class Evaluations {
 public:
  // The place where results are made, as stored with them.
  struct Place {
    std::string commit, host;
  };
  // If the original is refused, report it but do not store it, so the user can fix the cause and
  // resume.
  Evaluations(store::StudyStore& study, Executor& executor, Place place,
              const spaces::Candidate& original);

  Evaluations(const Evaluations&) = delete;
  Evaluations& operator=(const Evaluations&) = delete;

  // Asks for one evaluation of a stage. The candidate must be in the study.
  Status ask(std::int64_t asker, Fingerprint candidate, const std::string& document,
             const Stage& stage, std::uint64_t seed, const std::function<Estimates()>& estimates);
  // The next answer; waits at most `seconds` for it. Nothing: no answer yet, or none is expected.
  Result<std::optional<Answer>> next(double seconds);
  // Stores a result that needed no executor.
  Status record(store::Evaluation evaluation, const std::vector<store::Artifact>& artifacts = {});

  std::int64_t run() const { return run_; }               // evaluations that the executor has made
  double evaluation_seconds() const { return seconds_; }  // that they took
  double waited() const { return waited_; }               // seconds, for the executor
  void cancel();

 private:
  void sign(store::Evaluation& evaluation) const;  // adds where and when it was made
  Result<std::vector<double>> reference_for(store::EvaluationKey key) const;
  // Submits the evaluation, or waits for the search that has claimed it.
  Status begin(std::int64_t asker, const store::EvaluationKey& key, const std::string& document);
  Status look_after_claims();
  Status take(JobResult result);
  Status keep(Ended ended);  // in the study, then as answers
  Status release(const std::string& evaluator);
  void probe(const std::string& evaluator);

  store::StudyStore& study_;
  Executor& executor_;
  Place place_;
  Fingerprint original_;
  std::string original_document_;
  Claims claims_;
  Elsewhere elsewhere_;
  Jobs jobs_;
  Suspects suspects_;
  // An evaluation that another search makes.
  struct Foreign {
    std::int64_t asker = 0;
    store::EvaluationKey key;
    std::string document;
  };
  std::vector<Foreign> foreign_;
  std::deque<Answer> ready_;
  std::int64_t run_ = 0;
  double seconds_ = 0, waited_ = 0;
};

}  // namespace cambium::search
