// Narrowing: a dimension of a buffer becomes shorter, and with it everything in the program that
// runs along it: elementwise consumers and their targets, padding, constants (biases, weights of a
// contraction over it). Called for the outputs that a bottleneck leaves.
#pragma once

#include "schedule/neural_draft.h"

namespace cambium::schedule::neural {

// Dimension `axis` of `buffer`, which is written by nests that the caller has changed, gets `size`
// elements. Refuses ChangesInterface when an output would change and `accept` is not set, or when
// an input or another local would have to; NotConsumer when a block reads the dimension in another
// way than one element per iteration of one loop of its own, or reduces over it without weights.
Status narrow(Draft& draft, const Buffer* buffer, std::size_t axis, std::int64_t size, bool accept);

}  // namespace cambium::schedule::neural
