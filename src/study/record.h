// Record: what a study knows of one candidate. For each metric the best known value counts: a
// measurement before an estimate, then by rank (census.h), as the mean over its seeds. Also says
// how far the candidate came, which candidate is the original, and which digits of its identity
// people see. Refuses nothing. Used by `cambium study list` and by reports.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "store/study.h"
#include "study/census.h"
#include "study/limit.h"
#include "study/scores.h"

namespace cambium::study {

// The goals of a search: the objectives of its Pareto front, and the evaluators that a candidate
// must have passed to be on it.
struct Goals {
  std::vector<Metric> objectives;
  std::vector<std::string> evaluators;
  // The objectives of exploring, which may train nothing; empty: the same.
  std::vector<Metric> exploring = {};
  // The options under which the funnel of the search refuses. A candidate may be refused although
  // it has all values.
  std::vector<std::string> refusals = {};
  // The limits of the search, by which the best candidate is chosen (best.h).
  std::vector<LimitText> limits = {};
};
// Such options, as JSON: the name of the search, and the stage after which it refuses.
std::string refusal_options(const std::string& search, const std::string& stage);

// The objectives of the front of these candidates: those of exploring while no candidate has all of
// the others. Null pointers are candidates that take no part.
const std::vector<Metric>& front_objectives(const Goals& goals,
                                            std::span<const Scores* const> candidates);

class Record {
 public:
  // Takes an evaluation of the candidate. Returns the metrics whose score it changed.
  std::vector<Metric> add(const store::Evaluation& evaluation, const Census& census);

  const Scores& scores() const { return scores_; }
  // Whether each evaluator of the goals has answered or is pending, and the funnel has not refused
  // the candidate. A refusal is no answer, but the answer to another question counts: to a longer
  // training, for example.
  bool has_passed(const Goals& goals, const Census& census) const;

 private:
  struct Counted {  // of a metric: the evaluation whose value counts
    std::uint32_t rank = 0;
    std::uint64_t seed = 0;
  };
  struct Seed {
    Metric metric;
    std::uint64_t seed = 0;
    store::StudyValue value;
  };
  struct Answer {
    std::uint32_t question = 0, rank = 0;  // a pending evaluation has rank 0
    bool is_refused = false;
  };

  bool add_value(Metric metric, const store::StudyValue& value, std::uint32_t rank,
                 const store::EvaluationKey& key);
  void add_answer(const store::Evaluation& evaluation, const Census::Place& place);

  Scores scores_;
  std::array<Counted, kMetrics> counted_;
  std::vector<Seed> seeds_;  // of the metrics that have several
  std::vector<Answer> answers_;
};

// The original is the candidate without edits, whoever proposed it.
bool is_original(const store::StudyCandidate& candidate);

// The digits that name a candidate for people: in tables, headings and texts.
std::string short_id(Fingerprint candidate);
// The digits that name a candidate in commands and in names of files: also unique in a study of
// many. They begin with the short ones.
std::string long_id(Fingerprint candidate);

}  // namespace cambium::study
