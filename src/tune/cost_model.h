// The port of learned cost models: scores schedules from their features after having seen others
// measured. tune/cost_model has the one by XGBoost; tests have fakes. A score is the model's idea
// of log(seconds): lower is better; only the order within one program means something.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "tune/features.h"

namespace cambium::tune {

struct Example {
  Fingerprint program;  // examples of one program are compared with each other
  Features features;
  double seconds = 0;        // infinite: it was refused
  double draft_seconds = 0;  // what the analytic model says
};

// How well a model orders what it was not trained on.
struct ModelQuality {
  std::int64_t examples = 0, held_out = 0;
  double rank_correlation = 0;   // Spearman's, mean over programs, on the held-out part
  double draft_correlation = 0;  // of the analytic model on the same part
  double best_of_top_8 = 0;      // least time over time of the best among the 8 it likes best
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  // One score per candidate; `drafts` are the seconds of the analytic model.
  virtual std::vector<double> score(std::span<const Features> candidates,
                                    std::span<const double> drafts) const = 0;
  // Learns from all examples so far; a share of them, by program and seed, is held out and decides
  // when to stop. Refuses LearnerFailed.
  virtual Result<ModelQuality> train(std::span<const Example> examples, std::uint64_t seed) = 0;
};

// Without learning: the score is the analytic model's.
std::unique_ptr<CostModel> draft_only_model();

}  // namespace cambium::tune
