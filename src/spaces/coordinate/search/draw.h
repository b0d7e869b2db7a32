// Draws operators of a synthesis space so that the same random numbers give the same operator,
// whatever was drawn before: tickets of a search may come in any order. A walk takes steps that the
// shape distance allows and gives up where none is left. Sampler (synthesis/sample.h) draws nothing
// twice instead, and is for those who want many operators at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/primitives/primitive.h"
#include "spaces/coordinate/synthesis/reach.h"

namespace cambium::spaces::coordinate {

class Drawing {
 public:
  using Accept = std::function<bool(const Operator&)>;

  // Finds all sets of reductions, which takes a while; the space must outlive it. Walks end where
  // so many coordinates at least are made of reductions that as many axes of the input may be.
  Drawing(synthesis::Space& space, int least_mixed);

  // One walk: nothing if it came to nothing, or if nobody accepted what it came to.
  std::optional<Operator> walk(Rng rng, const Accept& accept);

 private:
  synthesis::StateId draw_stage(Rng& rng) const;
  // Where a random step leads, the state itself to finish there, kNoState if there is no way on.
  synthesis::StateId advance(synthesis::StateId id, Rng& rng);
  synthesis::StateId attempt(const synthesis::State& state, const synthesis::Step& step, int left);
  std::optional<Operator> finish(synthesis::StateId id, Rng& rng, const Accept& accept);
  int left(synthesis::StateId id) const;
  bool may_mix(synthesis::StateId stage) const;
  bool is_mixed(const synthesis::State& state) const;

  synthesis::Space& space_;
  int least_mixed_;
  synthesis::Reach reach_;
  std::vector<std::vector<synthesis::StateId>> stages_;  // by the number of reductions; none empty
  synthesis::Steps steps_;
};

}  // namespace cambium::spaces::coordinate
