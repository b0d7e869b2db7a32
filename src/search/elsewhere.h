// Elsewhere: answers from other machines for evaluators that are absent here. For all candidates,
// the answers of the same version and machine count, if there are any (study/ways.h). Refuses what
// the study refuses. Used by Evaluations.
#pragma once

#include <map>
#include <optional>

#include "base/result.h"
#include "store/study_store.h"
#include "study/census.h"

namespace cambium::search {

class Elsewhere {
 public:
  explicit Elsewhere(store::StudyStore& study) : study_(study) {}

  // The evaluation that counts for this key whatever its version and machine: an answer, or a
  // pending evaluation. Nothing: the study has neither.
  Result<std::optional<store::Evaluation>> find(const store::EvaluationKey& key);

 private:
  store::StudyStore& study_;
  // Counted once, when an evaluator is first absent.
  std::optional<std::map<study::Question, study::Ways>> ways_;
};

}  // namespace cambium::search
