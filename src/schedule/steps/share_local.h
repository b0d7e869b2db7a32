// ShareLocal: readers of a local read another local with the same content instead, and the first
// local is no longer computed.
//
//   a[i] = f(x[i]);  b[i] = f(x[i]);  y = g(a) + h(b)    share_local(b, a)   a[i] = f(x[i])
//                                                        --------------->    y = g(a) + h(a)
// Each local is computed by one block, with equal bodies over equal iterators; the block that stays
// comes first. Makes nothing. Refuses UnknownName, NotLocal (a parameter, several blocks write it,
// or it lives in a loop), NotConsumer (the blocks do not compute the same, or not all of it),
// ChangesOrder (what they read is written in between), and what the verifier refuses.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct ShareLocal {
  static constexpr const char* kName = "share_local";
  std::string buffer;
  std::string by;
  CAMBIUM_FIELDS(f("buffer", s.buffer), f("by", s.by))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
