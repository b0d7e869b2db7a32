// The evaluators that need libtorch: `accuracy` trains a candidate, `proxy` measures it without
// training, `legality` compares it with the original without training. Data sets stay open across
// jobs. Used by the workers of `cambium-train evaluate`.
#pragma once

#include <vector>

#include "engine/search/evaluator.h"

namespace cambium::engine {

// accuracy: the fidelity is the number of epochs; values are `accuracy` (the best on validation; of
//   text, `perplexity`) and `test_accuracy` where option `test` is 1, which is
//   asked for when candidates have been chosen and chooses nothing. Options: recipe, stopping,
//   `set` (an object: what differs from the recipe), `keep` (1: the trained model is an artifact,
//   "model.cambium"). A training that diverges or that its rule stops is refused (NotPromising)
//   with its curve: what it reached in fewer epochs compares with nothing. Rules that compare take
//   the job's reference, the original's curve.
// proxy: one value, called as option `proxy` says ("fisher"); another option: batch.
// legality: see legality_evaluator.h.
std::vector<Evaluator> training_evaluators();

}  // namespace cambium::engine
