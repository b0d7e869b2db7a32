// Computes what one access of a block touches while some of its loops run: distinct elements, cache
// lines, runs of memory, and how far each loop moves the access. Called by analysis.cpp.
#pragma once

#include <span>
#include <vector>

#include "tune/analysis.h"
#include "tune/index_reach.h"

namespace cambium::tune {

class Footprints {
 public:
  // Begins a block with the loops `info.loops`, which indices see as `parts`, and whose iterators
  // `reader` has bound. All three must live while accesses of the block are measured.
  void begin(const BlockInfo& info, std::span<const LoopPart> parts, const ReachReader& reader);

  // Measures an access to `access.buffer` at these indices. No indices mean a gather, which may
  // touch anything.
  void measure(std::span<const program::Expr> indices, AccessInfo& access);

 private:
  // One index. Accesses of a block share most of their indices.
  struct Index {
    program::Expr e;
    Reach reach;
    PerLevel span, values;  // the distance that it covers, and the number of its values
  };
  std::size_t number_of(program::Expr e);
  void measure_gather(AccessInfo& access) const;
  void measure_level(AccessInfo& access, std::size_t level) const;

  const BlockInfo* info_ = nullptr;
  std::span<const LoopPart> parts_;
  const ReachReader* reader_ = nullptr;
  std::vector<Index> known_;
  std::vector<std::size_t> at_;  // position in `known_` of each index, the last dimension first
};

}  // namespace cambium::tune
