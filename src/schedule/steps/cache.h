// CacheRead copies a whole buffer into a local before the first nest that reads it, and lets
// `block` read the copy. Other blocks keep the original. CacheWrite lets `block` (and every other
// writer of the same target) write a local of the same shape. After the last of them, a new block
// copies the local to the target. ComputeAt and ReverseComputeAt then move the copy to where it
// belongs and shrink it. A buffer that lives in one iteration of a loop is copied there. Make the
// copying block, the local, then the loops of the copy, outermost first. Refuse UnknownName,
// NotConsumer (the block does not read that buffer), and CacheRead of a buffer that is written
// inside the nest of its reader (ReadBeforeWrite).
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct CacheRead {
  static constexpr const char* kName = "cache_read";
  std::string block;
  std::string buffer;
  CAMBIUM_FIELDS(f("block", s.block), f("buffer", s.buffer))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

struct CacheWrite {
  static constexpr const char* kName = "cache_write";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
