// Legality in numbers: the verdicts of Fisher Potential on the candidates of a study, by kind of
// step. Plain data: engine counts it (engine/search/legality_kinds.h), lists and reports show it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cambium::study {

struct LegalityCount {
  std::string space, kind;      // empty: all of the study
  std::int64_t candidates = 0;  // proposed, without the original
  std::int64_t judged = 0;      // by the evaluator `legality`
  std::int64_t illegal = 0, undecided = 0;
  std::int64_t layers = 0;  // of judged candidates, that changed and have a score
  std::int64_t fallen = 0;  // those whose own score is below the original's
};

struct LegalityByKind {
  LegalityCount all;
  std::vector<LegalityCount> kinds;  // the most frequent first
};

}  // namespace cambium::study
