// What one access of a block touches while some of its loops run: distinct elements, cache lines,
// runs of memory, and how far each loop moves it. Called by analysis.cpp.
#pragma once

#include <span>
#include <vector>

#include "tune/analysis.h"
#include "tune/index_reach.h"

namespace cambium::tune {

class Footprints {
 public:
  // Of an access to `access.buffer` at these indices, in a block whose loops are `info.loops`, as
  // `parts` for indices, and whose iterators `reader` has bound. No indices: a gather, which may
  // touch anything.
  void measure(const BlockInfo& info, std::span<const LoopPart> parts, const ReachReader& reader,
               std::span<const program::Expr> indices, AccessInfo& access);

 private:
  void measure_gather(const BlockInfo& info, AccessInfo& access) const;
  void measure_level(const BlockInfo& info, std::span<const LoopPart> parts, AccessInfo& access,
                     std::size_t level) const;

  std::vector<Reach> reaches_;  // of the indices, the last dimension first
};

}  // namespace cambium::tune
