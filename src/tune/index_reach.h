// Computes how far an index of an access reaches while some of the loops around its block run and
// the others stand still. It works with numbers and creates no expressions; footprints and strides
// follow from it. It is exact for sums of loops and for / and % that a split undoes. For other /
// and % it gives an expectation. Used by analysis.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "program/program.h"

namespace cambium::tune {

inline constexpr std::size_t kMostLoops = 24;  // around a block; further loops are merged

// A loop as indices see it: its contribution to its axis. A partly unrolled loop counts as two.
struct LoopPart {
  program::Expr axis;
  std::int64_t extent;
  std::int64_t scale;  // how far one iteration moves the axis
};

// A quasi-affine index over the loops of a block: constant + terms + a part that is not linear.
struct Reach {
  struct Term {
    std::int64_t factor;
    std::uint32_t loop;
  };
  std::int64_t constant = 0;
  std::uint32_t size = 0;  // of `terms`
  std::array<Term, kMostLoops> terms;
  std::uint32_t moves = 0;    // bit i: with loop i
  float divisions = 0;        // that the code must compute; a shift counts a quarter
  std::uint32_t divided = 0;  // bit i: loop i is in one of them
  bool is_linear = true;
  std::array<float, kMostLoops + 1> rest;  // reach of the part that is not linear, by level

  // Level l: loops l and inner run. Distance between the least and the greatest value.
  double range(std::size_t level, std::span<const LoopPart> loops) const;
  // The approximate number of values that it takes there.
  double values(std::size_t level, std::span<const LoopPart> loops) const;
  std::int64_t factor_of(std::size_t loop) const;
};

// Reads expressions over the loops of one block, then over its iterators.
class ReachReader {
 public:
  explicit ReachReader(std::span<const LoopPart> loops) : loops_(loops) {}

  void bind(const program::Block& block);  // expresses its iterators by the loops
  void bind(const program::Body& body, std::vector<Reach> iterators);
  Reach of_loops(program::Expr e) const;    // e over the loops
  Reach of_indices(program::Expr e) const;  // e over the iterators of the bound block
  // For a predicate over the iterators: the loops that change it, and approximately how often it
  // holds.
  std::uint32_t moves_of(program::Expr predicate) const;
  double share_of(program::Expr predicate) const;

 private:
  template <class Axis>
  Reach read(program::Expr e, const Axis& axis) const;
  double share_less(program::Expr x, program::Expr y) const;
  Reach divided(const Reach& x, std::int64_t by) const;
  Reach remainder(const Reach& x, std::int64_t by) const;
  Reach either(const Reach& x, const Reach& y) const;
  void bend(Reach& made) const;  // makes room for `rest`

  std::span<const LoopPart> loops_;
  const program::Body* body_ = nullptr;
  std::vector<Reach> iterators_;
};

}  // namespace cambium::tune
