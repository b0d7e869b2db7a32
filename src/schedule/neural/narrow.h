// Narrowing: shortens a dimension of a buffer, and everything in the program that depends on its
// length: elementwise consumers and their targets, padding, and constants (biases, weights of a
// contraction over it). Used after a bottleneck of output channels.
#pragma once

#include "schedule/neural/program_edit.h"

namespace cambium::schedule::neural {

// Dimension `axis` of `buffer` gets `size` elements. The caller has already changed the nests that
// write it. A block that reads only the remaining elements is left unchanged. Refuses
// ChangesInterface if an output would change and `accept` is not set, or if an input or another
// local would have to change. Refuses NotConsumer if a block does not read one element of the
// dimension per iteration of one of its own loops, or reduces over it without weights.
Status narrow(Draft& draft, const Buffer* buffer, std::size_t axis, std::int64_t size, bool accept);

}  // namespace cambium::schedule::neural
