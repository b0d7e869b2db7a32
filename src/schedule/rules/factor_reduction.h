// rfactor: computes a reduction as partial results side by side and then reduces those, so that
// there is parallel work. The reduce loops are fused and split in two. Which part stands side by
// side is a structural decision: "none", "outer" (for threads) or "inner" (for lanes). A reduction
// that multi-level-tiling would tile is left alone unless it has fewer results than terms, and no
// more results than threads could share. Refuses NothingToDo, and everything that MergeIterators,
// Split, Reorder and RFactor refuse.
#pragma once

#include "schedule/rules/rule.h"

namespace cambium::schedule {

struct RFactorOptions {
  std::int64_t chunks_per_thread = 16;
  std::int64_t innermost = 64;  // the longest inner part
  // Only parts for threads, of the outermost reduce loop, and only if there is enough work for
  // threads. For the whole space, whose other rules handle lanes and contractions.
  bool only_threads = false;
};

Rule rfactor_rule(RFactorOptions options = {});

// Splits a loop of the block's reduction into that many parts. The loop over parts becomes the
// outermost, and partial results lie side by side in the first dimension of a local. Returns what
// RFactor makes.
Result<Names> sum_apart(Draft& draft, const std::string& block, const std::string& loop,
                        std::int64_t parts);

}  // namespace cambium::schedule
