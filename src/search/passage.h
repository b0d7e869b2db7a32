// The way of candidates down stages: legality and cost first, then one evaluation after the other,
// until a limit or a gate ends it or it is through. Every step is in the study; what is there
// already is not done again. Refuses what the study refuses. Used by the driver, for exploring, for
// the finals and for the original, which no gate holds up.
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
#include "spaces/space.h"

namespace cambium::search {

// What the values of one stage were, by name.
using StageValues = std::map<std::string, double>;

struct Passage {
  spaces::Candidate candidate;
  Fingerprint identity;
  std::string document;  // JSON of the candidate
  Scores scores;         // so far
  bool is_over = false;
  bool is_refused = false;
  std::string refused_by, reason, detail;  // evaluator, name of the reason, its words
  std::vector<StageValues> values;         // by stage that it passed

 private:
  friend class Passages;
  std::vector<store::Evaluation> answers;  // of the stage in work
};

// Who or what a passage is compared with.
struct Yardstick {
  std::vector<Limit> limits;                           // absolute by now
  const std::vector<StageValues>* original = nullptr;  // what gates are relative to; null: no gates
};

class Passages {
 public:
  struct Context {
    const model::Model* base = nullptr;
    std::vector<spaces::Space*> spaces;
    store::StudyStore* study = nullptr;
    Evaluations* evaluations = nullptr;
    // What the draft cost model says of a model, for evaluators that are not here.
    std::function<Estimates(const model::Model&, const std::string& evaluator)> estimate;
  };
  Passages(Context context, std::vector<Stage> stages, Yardstick yardstick);

  // The candidate must be in the study. It may be over at once.
  Status begin(std::int64_t id, spaces::Candidate candidate);
  // Hands on an answer to whom it belongs.
  Status take(Answer answer);

  const Passage& at(std::int64_t id) const { return passages_.at(id); }
  void forget(std::int64_t id) { passages_.erase(id); }

  // How many came to each stage and how many were refused there; first legality and cost.
  struct Count {
    std::string evaluator;
    std::int64_t entered = 0, refused = 0, pending = 0;
  };
  const std::vector<Count>& counts() const { return counts_; }
  // Evaluations that those under way still need, if nothing ends their way before: by stage, and in
  // all.
  std::vector<std::int64_t> left_by_stage() const;
  std::int64_t left() const;

 private:
  Status pass_cost(Passage& passage);
  Status draw(const Passage& passage, const store::Evaluation& cost, bool is_known);
  Status ask(std::int64_t id, Passage& passage);
  Status conclude_stage(Passage& passage);
  // The first limit or gate that ends the way of a passage after the stage of this count.
  std::optional<Rejection> broken_limit(const Passage& passage) const;
  // What the space of its one edit tells of activations before a model is built.
  std::optional<Rejection> refused_by_document(const Passage& passage) const;
  std::optional<Rejection> closed_gate(const Passage& passage, const Stage& stage) const;
  Status refuse(Passage& passage, std::size_t count, const Rejection& why);

  Context context_;
  std::vector<Stage> stages_;
  Yardstick yardstick_;
  std::map<std::int64_t, Passage> passages_;
  std::vector<Count> counts_;
};

// What follows from shapes alone, before every other stage: an evaluation that needs no executor.
inline constexpr const char* kCostEvaluator = "cost";
inline constexpr const char* kCostVersion = "5";
Stage cost_stage();

// One value of several seeds: the mean, and the spread between seeds where there are several. The
// same to the last bit for any order of them.
store::StudyValue joined(std::vector<std::pair<std::uint64_t, store::StudyValue>> by_seed);
// The values of several evaluations of one stage as one, each joined over the seeds.
std::map<std::string, store::StudyValue> joined(const std::vector<store::Evaluation>& evaluations);
// Those that are metrics.
void add_scores(const std::map<std::string, store::StudyValue>& values, Scores& scores);

}  // namespace cambium::search
