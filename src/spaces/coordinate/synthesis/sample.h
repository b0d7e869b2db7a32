// Sampling: random operators of a space from a seed, none twice. A trial walks from the output to
// the input; with the exact guide it turns back where a way ends and remembers that, so that trials
// die of budgets only. Without, steps are merely canonical, as in the paper's ablation.
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/budgets.h"
#include "spaces/coordinate/synthesis/reach.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate::synthesis {

// Which of the steps is taken: one of all, each as likely; or first one of the kinds of primitives
// that there are, then one of that kind.
enum class Law : std::uint8_t { ByStep, ByKind };

enum class Guide : std::uint8_t {
  None,      // steps are merely canonical, as in the paper's ablation
  Distance,  // and not too far from the input; states found dead are not entered again
  Exact,     // and a walk goes back from where no step leads on: one that has a way finds it
};

struct SampleOptions : Budgets {
  std::uint64_t seed = 1;
  Law law = Law::ByKind;
  Guide guide = Guide::Exact;
  // Primitives that one walk may try with the exact guide before another begins; 0: all it takes.
  int patience = 600;
  // How many trials in a row draw weights for one data path: a walk takes longer than weights do.
  int draws_per_path = 1;
};

struct SampleStatistics {
  std::uint64_t trials = 0;
  std::uint64_t valid = 0;
  std::uint64_t over_budget = 0;  // operators that were finished, and refused then
  std::uint64_t dead_ends = 0;    // none with the exact guide until the space is exhausted
  std::uint64_t given_up = 0;     // walks of the exact guide that lost patience
  std::uint64_t closed = 0;       // states that have nothing more to give
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

  // One trial. Nothing if it died.
  std::optional<Sample> trial();
  // Whether there is any operator at all, budgets aside; decided exactly, which may take long.
  bool is_empty();
  // Whether all operators have been drawn: trials can only die from here on.
  bool is_exhausted() const { return is_exhausted_; }

  const SampleStatistics& statistics() const { return statistics_; }
  Reach& reach() { return reach_; }
  std::size_t bytes() const;  // what it remembers of states

 private:
  enum class Walk : std::uint8_t { Found, Dead, Lost };  // Dead: nothing is behind the state

  int left(StateId id) const { return space_.limits.primitives - space_.states.counts(id).all(); }
  StateId draw_stage();
  Walk descend(StateId id);
  // All steps that are left, or those of one kind; Dead when none led anywhere.
  Walk try_steps(StateId id, const State& state, Steps& steps);
  Walk by_step(StateId id, const State& state, bool may_finish);
  Walk by_kind(StateId id, const State& state, bool may_finish);
  // Where the step leads, kNoState if it may not be taken.
  StateId attempt(const State& state, const Step& step, int left);
  // The good choices of weights for a state that were not drawn yet become the deck.
  bool open_deck(StateId id);
  std::optional<Sample> deal();
  Choice draw_choice();
  Walk close(StateId id);
  bool is_tired() const;
  int least_weights() const { return space_.limits.weight_free ? 0 : 1; }
  int most_weights(StateId id) const { return std::min(left(id), space_.limits.weights); }

  // What is over with a state: the choices that were drawn, or one of these.
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

  std::optional<Finishing> path_;  // walked, and what is drawn for it next, the last one first
  StateId path_end_ = kNoState;
  std::vector<Choice> deck_;
  bool is_whole_deck_ = true;  // otherwise there are too many to list
  int draws_left_ = 0;
};

}  // namespace cambium::spaces::coordinate::synthesis
