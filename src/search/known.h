// What a search knows of all candidates of its study: their scores under the stages of exploring,
// whichever search they come from, and the front of those that passed all stages. What its own
// evaluators said counts before what others did, and of others one machine and version (ways.h).
// Grows with the study by some hundred bytes for each candidate. Used by the driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "search/executor.h"
#include "search/funnel.h"
#include "search/metric.h"
#include "search/reward.h"
#include "store/study_store.h"

namespace cambium::search {

class Known {
 public:
  Known(std::span<const Stage> stages, std::span<const Metric> objectives);

  // All that is in the study. Its own evaluators are those that the executor offers.
  Status load(store::StudyStore& study, const Executor& executor);
  void add(Fingerprint candidate, const Scores& scores);  // of one that passed all stages

  struct Entry {
    Fingerprint identity;
    Scores scores;
  };
  // Nothing of those is dominated by another.
  const std::vector<Entry>& front() const { return front_; }
  std::size_t size() const { return passed_.size(); }
  const Scores* find(Fingerprint candidate) const;  // null where it did not pass

  // The best without `original`: those that hold the limits before others, those of the front
  // before others, and then by reward. Where more of the front earn more than the original does
  // than are asked for, these are spread over it, from the highest reward to the lowest: what is
  // smallest learns fastest, and much of what looks best after a brief training is not in the end.
  std::vector<Entry> finalists(std::size_t most, Fingerprint original, const Scores& reference,
                               const RewardOptions& reward, const std::vector<Limit>& limits) const;

 private:
  std::vector<Stage> stages_;
  std::vector<Metric> objectives_;
  std::unordered_map<Fingerprint, Scores> passed_;
  std::vector<Entry> front_;
};

}  // namespace cambium::search
