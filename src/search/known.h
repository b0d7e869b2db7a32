// What a search knows about all candidates of its study, whichever search proposed them: the scores
// of those that passed all stages of exploring, and their Pareto front. Answers of its own
// evaluators come first; of other answers, those of one version and machine count (study/ways.h).
// Needs some hundred bytes for each candidate. Used by the driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "search/executor.h"
#include "search/funnel.h"
#include "search/reward.h"
#include "search/thresholds.h"
#include "store/study_store.h"
#include "study/scores.h"

namespace cambium::search {

class Known {
 public:
  Known(std::span<const Stage> stages, std::span<const study::Metric> objectives);

  // Reads the study. The evaluators of the executor are its own. A candidate that a limit or a gate
  // of some search has refused counts only if it keeps these, or if it is `exempt`: a probe has all
  // its values and is refused all the same.
  Status load(store::StudyStore& study, const Executor& executor, const Yardstick& yardstick = {},
              const std::set<Fingerprint>& exempt = {});
  void add(Fingerprint candidate, const study::Scores& scores);  // must have passed all stages

  struct Entry {
    Fingerprint identity;
    study::Scores scores;
  };
  // The Pareto front, as `cambium study list` and reports show it: the best of the first objective
  // first, one candidate of several with equal scores, times from one machine only.
  std::vector<Entry> front() const;
  std::size_t size() const { return passed_.size(); }
  const study::Scores* find(Fingerprint candidate) const;  // null: it did not pass

  // The best candidates without `original`. Candidates within the limits come first, then those on
  // the front, then the rest by reward. If more than `most` candidates of the front have a higher
  // reward than the original, the finalists are spread evenly over them, from the highest reward to
  // the lowest. The highest rewards alone would favour small candidates, which learn fastest in a
  // brief training.
  std::vector<Entry> finalists(std::size_t most, Fingerprint original,
                               const study::Scores& reference, const RewardOptions& reward,
                               const std::vector<study::Limit>& limits) const;

 private:
  std::vector<Stage> stages_;
  std::vector<study::Metric> objectives_;
  std::unordered_map<Fingerprint, study::Scores> passed_;
  static void insert(const Entry& entry, std::span<const study::Metric> objectives,
                     std::vector<Entry>& front);
  std::vector<Entry> front_;  // with candidates of equal scores, and with times from elsewhere
  std::vector<Entry> shown_;  // without times from elsewhere
};

}  // namespace cambium::search
