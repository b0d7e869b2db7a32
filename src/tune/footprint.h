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
  // Of a block whose loops are `info.loops`, as `parts` for indices, and whose iterators `reader`
  // has bound; all three live as long as accesses of the block are measured.
  void begin(const BlockInfo& info, std::span<const LoopPart> parts, const ReachReader& reader);

  // Of an access to `access.buffer` at these indices. None: a gather, which may touch anything.
  void measure(std::span<const program::Expr> indices, AccessInfo& access);

 private:
  // One index: accesses of a block have most of theirs in common.
  struct Index {
    program::Expr e;
    Reach reach;
    PerLevel span, values;  // how many elements it reaches over, and how many it takes
  };
  std::size_t number_of(program::Expr e);
  void measure_gather(AccessInfo& access) const;
  void measure_level(AccessInfo& access, std::size_t level) const;

  const BlockInfo* info_ = nullptr;
  std::span<const LoopPart> parts_;
  const ReachReader* reader_ = nullptr;
  std::vector<Index> known_;
  std::vector<std::size_t> at_;  // of the indices, the last dimension first
};

}  // namespace cambium::tune
