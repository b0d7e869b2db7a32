// Draws operators of a synthesis space. The same random numbers give the same operator, independent
// of earlier draws, because the tickets of a search may come in any order. A walk takes only steps
// that the shape distance allows, and gives up if none is left. Sampler (synthesis/sample.h)
// instead draws no operator twice and serves callers that want many operators at once.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/primitives/primitive.h"
#include "spaces/coordinate/synthesis/reach.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate {

// Which operators are wanted. The fast test is asked for many choices of weights of a path, the
// slow one for few.
struct Wanted {
  using Test = std::function<bool(const Operator&)>;
  Test is_cheap;  // keeps the budgets
  Test is_light;  // and the limit on activations

  bool operator()(const Operator& op) const { return is_cheap(op) && is_light(op); }
};

// One step, and where it leads.
struct Way {
  synthesis::Step step;
  synthesis::StateId next = synthesis::kNoState;
};

class Drawing {
 public:
  // Finds all sets of reductions, which takes a while. The space must outlive this object.
  // Operators read at least `least_mixed` axes of the input through a reduction.
  Drawing(synthesis::Space& space, int least_mixed);

  synthesis::Space& space() { return space_; }
  // One walk from the output. Nothing if it ended in a dead end or found no wanted operator.
  // `most`: see walk_from.
  std::optional<Operator> walk(Rng rng, Rng most, const Wanted& wanted);

  // ---- the steps of walks, for trees. The answers depend only on the state.
  // The REDUCEs that may lead to an operator (all REDUCEs come first), and all other steps.
  std::vector<Way> reductions(synthesis::StateId id) const;
  std::vector<Way> views(synthesis::StateId id);
  // Whether weights can finish the operator here.
  bool is_end(synthesis::StateId id);
  // The choices of weights that finish it.
  std::vector<synthesis::Choice> choices(const synthesis::Finishing& finishing,
                                         synthesis::StateId id) const;

  // A random walk from here; appends its steps and gives its last state, or kNoState after a dead
  // end. `most` draws how many MERGEs and SHIFTs the walk may have, each number with equal chance.
  // Drawn step by step among the other kinds, nearly every operator would have one. Drawn again for
  // every walk until one is wanted, walks without them would win, since they finish more often.
  synthesis::StateId walk_from(synthesis::StateId id, Rng most, Rng& rng, std::vector<Way>& trail);
  // The first wanted choice of weights among some that are drawn.
  std::optional<synthesis::Choice> draw_weights(const synthesis::Finishing& finishing,
                                                synthesis::StateId id, Rng& rng,
                                                const Wanted& wanted) const;

 private:
  // The most MERGEs and SHIFTs of a walk, including those before the walk.
  struct Most {
    int merges, shifts;
  };
  // A set of reductions, and those that have one more.
  struct Stage {
    synthesis::StateId id;
    std::optional<int>
        merges;  // the least number on the way to the input; none: the input cannot be reached
    // Counts the sets, this one and all below it, that lead to the input. First index: the most
    // MERGEs on the way. Second index: the number of reductions.
    std::vector<std::vector<std::uint64_t>> good;
    std::vector<std::pair<synthesis::Step, std::size_t>> children;

    bool leads_on(std::size_t merges_at_most) const { return !good[merges_at_most].empty(); }
    std::uint64_t good_with(std::size_t merges_at_most, std::size_t reductions) const {
      const auto& counts = good[merges_at_most];
      return reductions < counts.size() ? counts[reductions] : 0;
    }
  };

  void find_stages();
  void count_stages(const std::vector<std::size_t>& parents);
  Most most_of(synthesis::StateId id, Rng& rng);
  // Draws a set of reductions, this one or one below it, that leads to the input. Appends the steps
  // to it.
  synthesis::StateId draw_stage(std::size_t from, int merges, Rng& rng,
                                std::vector<Way>& trail) const;
  // Draws a step. Returns the state itself to finish there, and kNoState if no step is possible.
  Way advance(synthesis::StateId id, const Most& most, Rng& rng);
  synthesis::StateId attempt(const synthesis::State& state, const synthesis::Step& step, int left,
                             int merges);
  int left(synthesis::StateId id) const;
  // Judged by sizes, for an operator with at most so many MERGEs.
  bool is_in_reach(const synthesis::State& state, int left, int merges);
  synthesis::State with_merges(synthesis::State state, int merges) const;
  bool may_go_on(synthesis::StateId id) const;
  bool may_mix(synthesis::StateId stage) const;
  bool may_mix(const synthesis::State& state, int merges) const;
  bool is_mixed(const synthesis::State& state) const;

  synthesis::Space& space_;
  int least_mixed_;
  synthesis::Reach reach_;
  std::vector<Stage> stages_;
  std::unordered_map<synthesis::StateId, std::size_t> stage_of_;
  synthesis::Steps steps_;
};

}  // namespace cambium::spaces::coordinate
