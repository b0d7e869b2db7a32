// Sampling: random operators of a space from a seed, none twice. A trial walks from the output to
// the input. With the exact guide it backtracks from dead ends and remembers them, so trials fail
// only by budgets. Without a guide, steps are merely canonical, as in the paper's ablation.
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/budgets.h"
#include "spaces/coordinate/synthesis/reach.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate::synthesis {

// How a step is drawn: uniformly from all steps, or first a kind of primitive and then a step of
// that kind.
enum class Law : std::uint8_t { ByStep, ByKind };

enum class Guide : std::uint8_t {
  None,      // steps are merely canonical, as in the paper's ablation
  Distance,  // and not too far from the input; dead states are not entered again
  Exact,     // and a walk backtracks from dead ends, so it finds a way if there is one
};

struct SampleOptions : Budgets {
  std::uint64_t seed = 1;
  Law law = Law::ByKind;
  Guide guide = Guide::Exact;
  // Primitives that one walk may try with the exact guide before another starts; 0: no limit.
  int patience = 600;
  // How many trials in a row draw weights for one data path, because a walk costs more than
  // weights.
  int draws_per_path = 1;
};

struct SampleStatistics {
  std::uint64_t trials = 0;
  std::uint64_t valid = 0;
  std::uint64_t over_budget = 0;  // finished operators that a budget refused
  std::uint64_t dead_ends = 0;    // none with the exact guide until the space is exhausted
  std::uint64_t given_up = 0;     // walks of the exact guide that exhausted their patience
  std::uint64_t closed = 0;       // states without further operators
  std::uint64_t pruned = 0;       // choices of weights, finished or not, that bounds refused
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

  // One trial; nothing if it fails.
  std::optional<Sample> trial();
  // Whether there is any operator, budgets aside. The answer is exact and may take long.
  bool is_empty();
  // Whether all operators have been drawn; further trials can only fail.
  bool is_exhausted() const { return is_exhausted_; }

  const SampleStatistics& statistics() const { return statistics_; }
  Reach& reach() { return reach_; }
  std::size_t bytes() const;  // of its memory about states

 private:
  enum class Walk : std::uint8_t { Found, Dead, Lost };  // Dead: the state leads to no operator

  int left(StateId id) const { return space_.limits.primitives - space_.states.counts(id).all(); }
  StateId draw_stage();
  Walk descend(StateId id);
  // Tries all remaining steps, or those of one kind. Dead if none leads to an operator.
  Walk try_steps(StateId id, const State& state, Steps& steps);
  Walk by_step(StateId id, const State& state, bool may_finish);
  Walk by_kind(StateId id, const State& state, bool may_finish);
  // The state after the step; kNoState if the step is not allowed.
  StateId attempt(const State& state, const Step& step, int left);
  // Fills the deck with the good choices of weights for a state that were not drawn yet.
  bool open_deck(StateId id);
  std::optional<Sample> deal();
  Choice draw_choice();
  Walk close(StateId id);
  bool is_tired() const;
  int least_weights() const { return space_.limits.weight_free ? 0 : 1; }
  int most_weights(StateId id) const { return std::min(left(id), space_.limits.weights); }

  // What is finished about a state: the choices that were drawn, or one of these.
  static constexpr std::uint16_t kNoMoreChoices = 0xfffe, kClosed = 0xffff;
  std::uint16_t& used(StateId id);
  bool is_closed(StateId id) const { return id < used_.size() && used_[id] == kClosed; }

  Space& space_;
  SampleOptions options_;
  Rng rng_;
  Reach reach_;
  SampleStatistics statistics_;
  std::vector<std::vector<StateId>> stages_;  // by the number of reductions
  bool is_exhausted_ = false;
  std::vector<std::uint16_t> used_;  // by state
  std::vector<Steps> steps_;         // by the number of primitives that are left
  int applied_ = 0;                  // by the walk at hand

  std::optional<Finishing> path_;  // the walked path; the deck has its next choices, last first
  StateId path_end_ = kNoState;
  std::vector<Choice> deck_;
  bool is_whole_deck_ = true;  // otherwise there are too many to list
  int draws_left_ = 0;
};

}  // namespace cambium::spaces::coordinate::synthesis
