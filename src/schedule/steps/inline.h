// Inline removes a block that computes a local elementwise (`t[i, j] = value`, no reduction, the
// indices a permutation of its iterators) and puts its value where the local was read.
// ReverseInline removes an elementwise consumer of one block and applies it there:
//   t[i] = a(i);  y[i] = g(t[i])      -->   y[i] = g(a(i))
// The local disappears. Refuse UnknownName, NotLocal, NotElementwise, NotConsumer (several
// producers or readers, or one that gathers), TooDeep, ChangesOrder (past another writer), what the
// verifier refuses, and for ReverseInline a producer that is a reduction (NotElementwise).
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct Inline {
  static constexpr const char* kName = "inline";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

struct ReverseInline {
  static constexpr const char* kName = "reverse_inline";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
