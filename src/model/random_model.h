// Random small models for property tests. Every model is valid, and the same seed gives the same
// model.
#pragma once

#include "base/random.h"
#include "model/builder.h"
#include "model/model.h"

namespace cambium::model {

// A few dozen nodes over square matrices: matrix products, elementwise operators, splits with
// several outputs, shared weights and shared subexpressions, constants, blocks.
Model random_model(std::uint64_t seed);

// The same graph with other names, ids and node order, and without blocks.
Model shuffled(const Model& model, Rng& rng);

}  // namespace cambium::model
