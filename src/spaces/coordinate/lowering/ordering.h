// The order of contractions and reductions with the fewest MACs, found exactly: the rfactor
// optimization of the paper's section 8 as a game on sets. Lowering an unfold or an expansion
// multiplies the number of elements, summing a reduction divides it; a reduction waits for the
// growth above it and for the weights that depend on it. A stage that multiplies by weights and
// sums costs the elements that its loops run over (a fused multiply-add is one), times the weights
// if there are several; what only moves elements costs nothing.
//
// Whatever is free is taken: in a stage, every reduction that its loops reach is summed, since that
// changes no loop and makes later stages smaller; and no stage lowers growth that it does not need.
// What remains to be chosen is which weights and which reductions open each stage, and the best
// rest of a plan depends on what is done, not on how: so choices are memoized. Stages and costs
// call it.
#pragma once

#include <vector>

#include "spaces/coordinate/lowering/descent.h"

namespace cambium::spaces::coordinate {

// Sizes by binding: all vectors of numbers have one entry per binding.
struct Game {
  struct Growth {
    std::vector<double> factor;
  };
  struct Shrinkage {  // a stride: happens when the growth above it has
    Mask growth = 0;
    std::vector<double> factor;
  };
  struct Sum {
    Mask growth = 0, weights = 0;  // what comes first
    std::vector<double> extent;
  };
  std::vector<double> elements;  // of the data
  std::vector<Growth> growths;
  std::vector<Shrinkage> shrinkages;
  std::vector<Sum> sums;
  std::vector<Mask> weights;  // the growth that each needs
};

struct Step {
  Mask weights = 0, sums = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

struct Ordering {
  std::vector<Step> steps;    // of stages that multiply or sum
  bool moves_at_end = false;  // growth is left that neither weights nor reductions need
  double macs = 0;            // over all bindings
  double intermediate = 0;    // elements between stages, over all bindings
};

// Fewest MACs, then fewest intermediate elements, then fewest stages.
Ordering best_ordering(const Game& game);

}  // namespace cambium::spaces::coordinate
