// Passages: the way of candidates through the stages. Legality and cost come first, then one
// evaluation after the other, until a limit or a gate stops the candidate or it has passed. A probe
// ends as soon as it has its values; no threshold stops it earlier. Every step is stored in the
// study, and no stored step is repeated. Refuses what the study refuses. Used by the driver for
// exploring, for the finals, and for the original, which no gate stops.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "search/evaluations.h"
#include "search/funnel.h"
#include "search/strategy.h"
#include "search/thresholds.h"
#include "spaces/space.h"

namespace cambium::search {

struct Passage {
  spaces::Candidate candidate;
  Fingerprint identity;
  std::string document;             // JSON of the candidate
  study::Scores scores;             // so far
  std::vector<std::string> probed;  // values that a probe is for; empty: no probe
  bool is_over = false;
  bool is_complete = false;  // it passed all stages; a probe may be over before
  bool is_refused = false;
  bool is_over_threshold = false;          // refused by a limit or a gate
  std::string refused_by, reason, detail;  // evaluator, name of the reason, explanation
  std::vector<StageValues> values;         // of the stages that it passed
  Values all_values;                       // of all stages, with the cost; the later stage counts

  bool is_probe() const { return !probed.empty(); }

 private:
  friend class Passages;
  std::vector<store::Evaluation> answers;  // of the current stage
  std::optional<Rejection> broken;         // the first threshold that a probe did not keep
};

class Passages {
 public:
  struct Context {
    const model::Model* base = nullptr;
    std::vector<spaces::Space*> spaces;
    store::StudyStore* study = nullptr;
    Evaluations* evaluations = nullptr;
    std::string search;  // the search whose limits and gates refuse
    // Estimates of the draft cost model in place of an absent evaluator.
    std::function<Estimates(const model::Model&, const std::string& evaluator)> estimate;
  };
  Passages(Context context, std::vector<Stage> stages, Yardstick yardstick);

  // The candidate must be in the study. The passage may be over at once. `probed`: of a probe.
  Status begin(std::int64_t id, spaces::Candidate candidate, std::vector<std::string> probed = {});
  // Gives an answer to the passage that asked for it.
  Status take(Answer answer);

  const Passage& at(std::int64_t id) const { return passages_.at(id); }
  void forget(std::int64_t id) { passages_.erase(id); }

  // How many candidates entered each stage and were refused there; legality and cost come first.
  struct Count {
    std::string evaluator;
    std::int64_t entered = 0, refused = 0, pending = 0;
  };
  const std::vector<Count>& counts() const { return counts_; }
  // Evaluations that the running passages still need if nothing stops them: by stage, and in all.
  std::vector<std::int64_t> left_by_stage() const;
  std::int64_t left() const;

 private:
  Status pass_cost(Passage& passage);
  Status draw(const Passage& passage, const store::Evaluation& cost, bool is_known);
  Status ask(std::int64_t id, Passage& passage);
  Status conclude_stage(Passage& passage);
  // Decides after a stage whether the passage is over. `why`: the threshold that it broke there.
  Status conclude(Passage& passage, std::size_t count, std::optional<Rejection> why);
  // The first limit that the document alone proves to be exceeded, by the bounds of its space.
  std::optional<Rejection> refused_by_document(const Passage& passage) const;
  Status refuse(Passage& passage, std::size_t count, const Rejection& why);

  Context context_;
  std::vector<Stage> stages_;
  Yardstick yardstick_;
  std::map<std::int64_t, Passage> passages_;
  std::vector<Count> counts_;
};

// The stage before all others. It follows from shapes alone and needs no executor.
inline constexpr const char* kCostVersion = "5";
Stage cost_stage();

}  // namespace cambium::search
