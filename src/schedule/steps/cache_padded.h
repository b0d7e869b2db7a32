// CachePadded: a sum of products that takes data only where a condition holds reads a padded copy
// of the data instead, and loses the condition. The reverse of inlining padding. A slab of rows
// with zeros around it becomes an image of its own:
//
//   y[16*s + i] += select([1 <= i + k && i + k < 17], x[16*s + i + k], 0.0) * w[s, k]
//
//   x.padded[s, j] = select([1 <= j && j < 17], x[16*s + j], 0.0)            for s, j = i + k
//   y[16*s + i] += x.padded[s, i + k] * w[s, k]
//
// In each dimension of the data that the condition is about, the iterators that it asks for become
// one index of the copy, and each other iterator of that dimension an index of its own. Other
// dimensions are copied as far as they are read. Data that is itself a padded copy of something,
// made by one block, is copied from there, so that zeros are put around it once. Makes the block
// that copies, the copy, then the loops, outermost first. The sum is the same if all factors are
// finite. Refuses UnknownName, NotAContraction (no such sum), NotABox (the copy would have to hold
// more than a box for each of the other iterators), BufferTooLarge, and what the verifier refuses.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct CachePadded {
  static constexpr const char* kName = "cache_padded";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
