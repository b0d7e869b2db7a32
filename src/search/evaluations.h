// Evaluations: between a study and an executor. Whoever asks for an evaluation gets the one that
// the study holds, or shares the one that is under way, or has it run; each result is in the study
// before anybody hears of it. So nothing is measured twice and nothing measured is lost, also where
// several searches share a study: what another makes at the moment is waited for. An evaluator that
// is not here gives Pending. Refuses what the study refuses, and what is the fault
// of the machine and not of a candidate (Unavailable: a GPU that is gone, a disk that is full;
// WorkerDied: not even the original survives): that is in no study. Used by the driver.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "search/executor.h"
#include "search/funnel.h"
#include "search/ways.h"
#include "spaces/candidate.h"
#include "store/study_store.h"

namespace cambium::search {

// What stands in for an evaluator that is not here, by metric: the draft cost model's word.
using Estimates = std::map<std::string, store::StudyValue>;

struct Answer {
  std::int64_t asker = 0;
  store::Evaluation evaluation;
  bool was_known = false;  // from the study, or shared with another asker
};

class Evaluations {
 public:
  // Where results say they were made.
  struct Place {
    std::string commit, host;
  };
  // `original`: the candidate that others are compared with. What it is refused for is told and
  // not kept: nothing can be searched then, and who has put that right wants to go on.
  Evaluations(store::StudyStore& study, Executor& executor, Place place,
              const spaces::Candidate& original);

  ~Evaluations();  // lets go of what it has claimed
  Evaluations(const Evaluations&) = delete;
  Evaluations& operator=(const Evaluations&) = delete;

  // One evaluation of a stage. The candidate must be in the study.
  Status ask(std::int64_t asker, Fingerprint candidate, const std::string& document,
             const Stage& stage, std::uint64_t seed, const std::function<Estimates()>& estimates);
  // The next answer; waits so long for one. Nothing: none yet, or none is under way.
  Result<std::optional<Answer>> next(double seconds);
  // Notes down something that was found without the executor.
  Status record(store::Evaluation evaluation, const std::vector<store::Artifact>& artifacts = {});

  std::int64_t run() const { return run_; }               // by the executor so far
  double evaluation_seconds() const { return seconds_; }  // that those took
  double waited() const { return waited_; }               // seconds, for the executor
  void cancel();

 private:
  void sign(store::Evaluation& evaluation) const;  // where and when
  Result<std::vector<double>> reference_for(store::EvaluationKey key) const;
  // For an evaluator that is absent: what it answered elsewhere, for all candidates by the same
  // version and machine where they have it (ways.h), or the wait.
  Result<std::optional<store::Evaluation>> known_elsewhere(const store::EvaluationKey& key);
  Status count_ways();
  struct Ended {
    std::vector<std::int64_t> askers;
    store::Evaluation evaluation;
    std::vector<store::Artifact> artifacts;
  };
  struct Running {
    store::EvaluationKey key;
    std::vector<std::int64_t> askers;
    bool is_probe = false;  // of the original, once more: is it the machine that kills?
  };
  // What another search makes.
  struct Foreign {
    std::int64_t asker = 0;
    store::EvaluationKey key;
    std::string document;
  };
  // Has it made, or waits for whoever has claimed it.
  Status begin(std::int64_t asker, const store::EvaluationKey& key, const std::string& document);
  Status look_after_claims();  // now and then: our own are renewed, others may have ended
  Status take(JobResult result);
  Status keep(Ended ended);                      // in the study, then as answers
  Status release(const std::string& evaluator);  // whoever is suspected
  void probe(const std::string& evaluator);

  store::StudyStore& study_;
  Executor& executor_;
  Place place_;
  Fingerprint original_;
  std::string original_document_;
  std::int64_t next_id_ = 0;
  std::map<std::int64_t, Running> running_;              // by the id of the job
  std::map<store::EvaluationKey, std::int64_t> by_key_;  // to that id
  // Of each question that the study has answers to; counted once, when an evaluator is absent.
  using Question = std::tuple<std::string, std::string, double>;  // evaluator, options, fidelity
  std::optional<std::map<Question, Ways>> elsewhere_;
  std::string owner_;
  std::vector<Foreign> foreign_;
  double renewed_ = 0, looked_ = 0;  // when, in seconds since 1970
  std::deque<Answer> ready_;
  // Deaths since a worker of the evaluator lived: each may be the machine's fault.
  std::map<std::string, std::vector<Ended>> suspects_;
  std::set<store::EvaluationKey> died_;  // in this run
  std::int64_t run_ = 0;
  double seconds_ = 0, waited_ = 0;
};

}  // namespace cambium::search
