// Narrowing: shortens a dimension of a buffer, and with it everything in the program that runs
// along it: elementwise consumers and their targets, padding, and constants (biases, weights of a
// contraction over it). Used for the outputs that a bottleneck keeps.
#pragma once

#include "schedule/neural/program_edit.h"

namespace cambium::schedule::neural {

// Dimension `axis` of `buffer`, which is written by nests that the caller has changed, gets `size`
// elements. A block that reads only the elements that stay is left alone. Refuses ChangesInterface
// when an output would change and `accept` is not set, or when an input or another local would have
// to; NotConsumer when a block reads the dimension in another way than one element per iteration of
// one loop of its own, or reduces over it without weights.
Status narrow(Draft& draft, const Buffer* buffer, std::size_t axis, std::int64_t size, bool accept);

}  // namespace cambium::schedule::neural
