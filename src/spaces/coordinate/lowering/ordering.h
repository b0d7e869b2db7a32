// The exact order of contractions and reductions with the fewest MACs: the rfactor optimization of
// the paper's section 8, as a search over sets. Lowering an UNFOLD or an expansion multiplies the
// number of elements; summing a reduction divides it. A reduction waits for the growth above it and
// for the weights that depend on it. A stage that multiplies by weights and sums costs the elements
// that its loops run over (a fused multiply-add is one), times the number of weights if there are
// several. A stage that only moves elements costs nothing.
//
// Free gains are always taken. A stage sums every reduction that its loops reach, because that
// changes no loop and makes later stages smaller. No stage lowers growth that it does not need. The
// remaining choice is which weights and reductions open each stage. The best rest of a plan depends
// only on what is done, not on how, so results are memoized. Stages and costs call this.
#pragma once

#include <vector>

#include "spaces/coordinate/lowering/descent.h"

namespace cambium::spaces::coordinate {

// All vectors of numbers have one entry per binding.
struct Game {
  struct Growth {
    std::vector<double> factor;
  };
  struct Shrinkage {  // a STRIDE: takes effect once the growth above it is lowered
    Mask growth = 0;
    std::vector<double> factor;
  };
  struct Sum {
    Mask growth = 0, weights = 0;  // what must come first
    std::vector<double> extent;
  };
  std::vector<double> elements;  // of the data
  std::vector<Growth> growths;
  std::vector<Shrinkage> shrinkages;
  std::vector<Sum> sums;
  std::vector<Mask> weights;  // the growth that each weight needs
};

struct Step {
  Mask weights = 0, sums = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

struct Ordering {
  std::vector<Step> steps;    // the stages that multiply or sum
  bool moves_at_end = false;  // some growth is needed by no weight and no reduction
  double macs = 0;            // over all bindings
  double intermediate = 0;    // elements between stages, over all bindings
};

// The plan with the fewest MACs, then the fewest intermediate elements, then the fewest stages.
Ordering best_ordering(const Game& game);

}  // namespace cambium::spaces::coordinate
