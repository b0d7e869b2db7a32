// PaddedCopy: a local that one block fills with a copy of another buffer, surrounded by zeros.
// Lowering writes the padding of a convolution this way. The step Separate moves padding from one
// buffer to another.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schedule/neural/nest.h"

namespace cambium::schedule::neural {

struct PaddedCopy {
  const program::Block* block = nullptr;
  const Buffer* source = nullptr;
  Indices source_at;                // over the iterators of the copy, one for each dimension
  std::vector<Indices> conditions;  // by dimension

  bool pads(std::size_t dim) const { return !conditions[dim].empty(); }
  // The value of a copy of another buffer with padding in these dimensions only. The other
  // dimensions are copied unchanged.
  Scalar value(Context& cx, const Buffer* from, const Indices& at,
               const std::vector<bool>& padded) const;
};

// Nothing if the block is not such a copy. `copy` is its nest.
std::optional<PaddedCopy> padded_copy_of(Context& cx, const program::Block* block,
                                         const Nest& copy);

}  // namespace cambium::schedule::neural
