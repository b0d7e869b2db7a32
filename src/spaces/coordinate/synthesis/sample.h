// Sampling: random operators of a space from a seed. A trial walks from the output to the input;
// with guidance every step is one from which the input can still be reached in the primitives that
// are left, so that trials die of budgets only. Without, steps are merely canonical, as in the
// paper's ablation.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/reach.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate::synthesis {

// Which of the steps is taken: one of all, each as likely; or first one of the kinds of primitives
// that there are, then one of that kind.
enum class Law : std::uint8_t { ByStep, ByKind };

enum class Guide : std::uint8_t {
  None,      // steps are merely canonical, as in the paper's ablation
  Distance,  // and not too far from the input; states found dead are not entered again
  Exact,     // and the input can be reached (reach.h): trials die of budgets only
};

struct SampleOptions {
  std::uint64_t seed = 1;
  Law law = Law::ByKind;
  Guide guide = Guide::Exact;
  int patience = 600;  // of the exact guide (reach.h); 0: it decides everything
  // Budgets, summed over all bindings. MACs are asked of whoever stages operators (lowering), once
  // for each operator that keeps the others.
  double most_parameters = std::numeric_limits<double>::infinity();
  double least_macs = 0, most_macs = std::numeric_limits<double>::infinity();
  Result<double> (*macs)(const Operator&, std::span<const expr::Binding>) = nullptr;
  // How many trials in a row draw weights for one data path: a walk takes longer than weights do.
  int draws_per_path = 1;
};

struct SampleStatistics {
  std::uint64_t trials = 0;
  std::uint64_t valid = 0;
  std::uint64_t over_budget = 0;
  std::uint64_t dead_ends = 0;  // none with the exact guide
};

struct Sample {
  StateId state = kNoState;
  Choice choice;
  Operator op;
};

class Sampler {
 public:
  // The space must outlive it.
  Sampler(Space& space, const SampleOptions& options);

  // One trial. Nothing if it died.
  std::optional<Sample> trial();
  // Whether there is any operator at all; trials of an empty space die at once.
  bool is_empty();

  const SampleStatistics& statistics() const { return statistics_; }
  Reach& reach() { return reach_; }

 private:
  StateId draw_stage();
  // The next state, `id` itself to finish now, or kNoState.
  StateId advance(StateId id, int left);
  // Where the step leads, kNoState if it may not be taken.
  StateId attempt(const State& state, const Step& step, int left);
  bool is_open(StateId id, int left);
  StateId dead(StateId id, int left);
  // Draws weights for the path at hand.
  std::optional<Sample> finish_path();
  bool is_within_budgets(const Finishing& finishing, const Sample& sample) const;

  Space& space_;
  SampleOptions options_;
  Rng rng_;
  Reach reach_;
  std::vector<std::vector<StateId>> stages_;  // by the number of reductions
  SampleStatistics statistics_;
  Steps steps_;
  std::optional<Finishing> path_;  // walked, and the draws that are left for it
  StateId path_end_ = kNoState;
  int draws_left_ = 0;
};

}  // namespace cambium::spaces::coordinate::synthesis
