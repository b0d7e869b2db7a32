// parallel-vectorize-unroll: what loops become in code. The innermost tile of a reduction becomes a
// vector where it walks over memory without gaps, loops within a budget of copies are unrolled, and
// a write cache that is then at known places goes into registers. Other blocks are vectorized as
// vector-loops does it. Outer loops are shared among threads. The budget, and how many loops are
// shared, are decisions. Refuses NothingToDo where nothing of that is possible.
#pragma once

#include "schedule/rules/rule.h"

namespace cambium::schedule {

struct LoopKindsOptions {
  std::int64_t chunks_per_thread = 16;  // of a shared loop, at most
  std::int64_t lanes = 64;              // of a vectorized loop, at most
  Ints unroll = {0, 16, 64, 512};       // the budgets
};

Rule parallel_vectorize_unroll_rule(LoopKindsOptions options = {});

}  // namespace cambium::schedule
