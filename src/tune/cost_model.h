// The port of learned cost models: they score schedules by their features, after learning from
// measured ones. tune/cost_model has the model by XGBoost; tests have fakes. A score estimates
// log(seconds): lower is better, and only the order within one program has a meaning.
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
  double seconds = 0;        // infinite: the schedule was refused
  double draft_seconds = 0;  // the estimate of the analytic model
};

// How well a model orders examples that it did not learn from.
struct ModelQuality {
  std::int64_t examples = 0, held_out = 0;
  double rank_correlation = 0;   // Spearman's, mean over programs, on the held-out part
  double draft_correlation = 0;  // of the analytic model on the same part
  double best_of_top_8 = 0;  // the least time over the least time among the 8 with the best score
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  // One score per candidate. `drafts` are the estimates of the analytic model in seconds.
  virtual std::vector<double> score(std::span<const Features> candidates,
                                    std::span<const double> drafts) const = 0;
  // Learns from all examples. It holds out a share of them, chosen by program and seed, which
  // decides when to stop. Refuses LearnerFailed.
  virtual Result<ModelQuality> train(std::span<const Example> examples, std::uint64_t seed) = 0;
};

// A model that does not learn: its score is that of the analytic model.
std::unique_ptr<CostModel> draft_only_model();

}  // namespace cambium::tune
