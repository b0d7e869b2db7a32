// Random operators with whatever input they happen to have, for property tests: primitives applied
// bottom-up to the outputs, all of them legal.
#pragma once

#include "base/random.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate::testing {

struct RandomOperator {
  Problem problem;  // output [C, H], two variables more, a window k and a block s; no fixed axis
  Operator op;
};

// Up to `steps` primitives and `weights` weights.
RandomOperator random_operator(Rng& rng, int steps, std::size_t weights);

// The same equations in another order: reductions, views, weights and their axes.
Operator shuffled(const Operator& op, Rng& rng);

}  // namespace cambium::spaces::coordinate::testing
