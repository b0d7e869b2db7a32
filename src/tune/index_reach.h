// How far an index of an access reaches while some of the loops around its block run and the others
// stand still, in numbers and without making any expression: what footprints and strides are
// computed from. Exact for sums of loops and for / and % that a split undoes; what is left of / and
// % is an expectation. Used by analysis.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "program/program.h"

namespace cambium::tune {

inline constexpr std::size_t kMostLoops = 24;  // around a block; more are taken as one

// A loop as indices see it: what it contributes to its axis. A loop that is partly unrolled is two.
struct LoopPart {
  program::Expr axis;
  std::int64_t extent;
  std::int64_t scale;  // of the axis: how far one iteration moves it
};

// A quasi-affine index over the loops of a block: constant + terms + what is not linear.
struct Reach {
  struct Term {
    std::int64_t factor;
    std::uint32_t loop;
  };
  std::int64_t constant = 0;
  std::uint32_t size = 0;  // of `terms`
  std::array<Term, kMostLoops> terms;
  std::uint32_t moves = 0;    // bit i: with loop i
  float divisions = 0;        // that code has to compute; a shift is a quarter
  std::uint32_t divided = 0;  // bit i: loop i is in one of them
  bool is_linear = true;
  std::array<float, kMostLoops + 1> rest;  // reach of what is not linear, by level; if not linear

  // Level l: loops l and inner run. Distance between the least and the greatest value.
  double range(std::size_t level, std::span<const LoopPart> loops) const;
  // About how many values it takes there.
  double values(std::size_t level, std::span<const LoopPart> loops) const;
  std::int64_t factor_of(std::size_t loop) const;
};

// Reads expressions over the loops of one block, and then over its iterators.
class ReachReader {
 public:
  explicit ReachReader(std::span<const LoopPart> loops) : loops_(loops) {}

  void bind(const program::Block& block);  // what its iterators are over the loops
  void bind(const program::Body& body, std::vector<Reach> iterators);
  Reach of_loops(program::Expr e) const;    // e over the loops
  Reach of_indices(program::Expr e) const;  // e over the iterators of the bound block
  // Of a predicate over the iterators: with which loops it moves, and about how often it holds.
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
