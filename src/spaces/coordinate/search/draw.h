// Draws operators of a synthesis space so that the same random numbers give the same operator,
// whatever was drawn before: tickets of a search may come in any order. A walk takes steps that the
// shape distance allows and gives up where none is left. Sampler (synthesis/sample.h) draws nothing
// twice instead, and is for those who want many operators at once.
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

// One step, and where it leads.
struct Way {
  synthesis::Step step;
  synthesis::StateId next = synthesis::kNoState;
};

class Drawing {
 public:
  using Accept = std::function<bool(const Operator&)>;

  // Finds all sets of reductions, which takes a while; the space must outlive it. Operators read so
  // many axes of the input at least through a reduction.
  Drawing(synthesis::Space& space, int least_mixed);

  synthesis::Space& space() { return space_; }
  // One walk from the output: nothing if it came to nothing, or if nobody accepted what it came to.
  std::optional<Operator> walk(Rng rng, const Accept& accept);

  // ---- the steps of walks, for trees. What they answer depends on the state alone.
  // REDUCEs, which all come first, that may lead to an operator; and all other steps.
  std::vector<Way> reductions(synthesis::StateId id) const;
  std::vector<Way> views(synthesis::StateId id);
  // Whether it can be finished by weights.
  bool is_end(synthesis::StateId id);
  // The ways to do so.
  std::vector<synthesis::Choice> choices(const synthesis::Finishing& finishing,
                                         synthesis::StateId id) const;

  // A random walk from here, whose steps are appended; where it ends, kNoState if nowhere.
  synthesis::StateId walk_from(synthesis::StateId id, Rng& rng, std::vector<Way>& trail);
  // The choice of weights that is accepted, of some that are drawn.
  std::optional<synthesis::Choice> draw_weights(const synthesis::Finishing& finishing,
                                                synthesis::StateId id, Rng& rng,
                                                const Accept& accept) const;

 private:
  // A set of reductions, and those that have one more.
  struct Stage {
    synthesis::StateId id;
    bool is_good = false;
    // How many that are good have so many reductions, itself and all below it: none, a dead end.
    std::vector<std::uint64_t> good;
    std::vector<std::pair<synthesis::Step, std::size_t>> children;

    std::uint64_t good_with(std::size_t reductions) const {
      return reductions < good.size() ? good[reductions] : 0;
    }
  };

  void find_stages();
  // A good one, this or below it; the steps to it are appended. kNoState: there is none.
  synthesis::StateId draw_stage(std::size_t from, Rng& rng, std::vector<Way>& trail) const;
  // A random step; with the state itself to finish there, kNoState if there is no way on.
  Way advance(synthesis::StateId id, Rng& rng);
  synthesis::StateId attempt(const synthesis::State& state, const synthesis::Step& step, int left);
  int left(synthesis::StateId id) const;
  bool may_go_on(synthesis::StateId id) const;
  bool may_mix(synthesis::StateId stage) const;
  bool is_mixed(const synthesis::State& state) const;

  synthesis::Space& space_;
  int least_mixed_;
  synthesis::Reach reach_;
  std::vector<Stage> stages_;
  std::unordered_map<synthesis::StateId, std::size_t> stage_of_;
  synthesis::Steps steps_;
};

}  // namespace cambium::spaces::coordinate
