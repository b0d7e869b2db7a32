// parallel-vectorize-unroll: chooses what loops become in code. The innermost tile of a reduction
// becomes a vector if it walks over memory without gaps. Loops within a budget of copies are
// unrolled. A write cache goes into registers if its positions are then constant. Other blocks are
// vectorized as in vector-loops. Outer loops are shared among threads. The budget and the number of
// shared loops are decisions. Refuses NothingToDo if none of this is possible.
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
