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
  // Parts for threads alone, of the outermost reduce loop, where there is work for threads: what
  // the whole space is without, whose other rules have lanes and contractions.
  bool only_threads = false;
};

Rule rfactor_rule(RFactorOptions options = {});

// A loop of the block's reduction in that many parts, outermost of all loops, and their partial
// results side by side in the first dimension of a local. Gives what RFactor makes.
Result<Names> sum_apart(Draft& draft, const std::string& block, const std::string& loop,
                        std::int64_t parts);

}  // namespace cambium::schedule
