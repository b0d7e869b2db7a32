// CachePadded: for a sum of products that reads data only under a condition. It then reads a padded
// copy of the data instead, without the condition. This reverses the inlining of padding. For
// example, a slab of rows with zeros around it becomes a separate image:
//
//   y[16*s + i] += select([1 <= i + k && i + k < 17], x[16*s + i + k], 0.0) * w[s, k]
//
//   x.padded[s, j] = select([1 <= j && j < 17], x[16*s + j], 0.0)            for s, j = i + k
//   y[16*s + i] += x.padded[s, i + k] * w[s, k]
//
// In each dimension that the condition tests, the tested iterators become one index of the copy,
// and each other iterator of that dimension becomes a separate index. Of other dimensions, the part
// that is read is copied. If one block made the data by padding another buffer, that buffer is
// copied, so that zeros are added only once. Makes the block that copies, the copy, then the loops,
// outermost first. The sum is the same if all factors are finite. Refuses UnknownName,
// NotAContraction (no such sum), NotABox (the copy would have to hold more than a box for each of
// the other iterators), BufferTooLarge, and what the verifier refuses.
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
