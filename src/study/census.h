// Census: which evaluations of a study count. A study may hold several evaluations of one candidate
// by the same evaluator: with other options, other fidelities, by other versions, on other
// machines. The census counts all evaluations once; afterwards it ranks any two of them. Times
// count from one machine only. Refuses what the store refuses. Used by Record.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "store/study_store.h"
#include "study/ways.h"

namespace cambium::study {

// A question to an evaluator: its name, options and fidelity.
using Question = std::tuple<std::string, std::string, double>;
Question question_of(const store::EvaluationKey& key);

class Census {
 public:
  // Reads all evaluations. Times count from `machine`; without it, from the machine that has
  // measured most latencies.
  static Result<Census> of(store::StudyStore& study,
                           const std::optional<Fingerprint>& machine = std::nullopt);

  // All zero: no machine has measured a latency.
  Fingerprint machine() const { return machine_; }
  bool is_elsewhere(const store::EvaluationKey& key) const;

  struct Place {
    std::uint32_t question = 0;
    // The evaluation of the highest rank counts: of the highest fidelity, then of the question with
    // the most answers, then of the way that counts first (ways.h). Evaluations of one rank differ
    // only in their seed.
    std::uint32_t rank = 0;
  };
  // Nothing: the evaluation came after the census.
  std::optional<Place> place_of(const store::EvaluationKey& key) const;
  const std::string& evaluator_of(std::uint32_t question) const {
    return std::get<0>(questions_[question]);
  }
  const std::string& options_of(std::uint32_t question) const {
    return std::get<1>(questions_[question]);
  }

 private:
  using Answer = std::pair<Question, Way>;

  void rank_all(const std::map<Question, Ways>& ways, std::vector<Answer> answers);

  Fingerprint machine_;
  std::map<Answer, Place> places_;
  std::vector<Question> questions_;  // by number
};

}  // namespace cambium::study
