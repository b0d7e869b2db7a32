// Regions: boxes of elements that a block touches while some loops around it are fixed. Compute-at
// shrinks buffers to these boxes, caches hold them, and the verifier uses them to check that
// elements are written before they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/interval.h"
#include "program/context.h"
#include "program/walk.h"

namespace cambium::program {

// One dimension: from base + range.lo to base + range.hi. The base is an expression over the fixed
// loops.
struct Side {
  Expr base;
  expr::Interval range;

  friend bool operator==(const Side&, const Side&) = default;
};
// The union of both, with the base of the first. Nothing if their distance is not constant.
std::optional<Side> united(Context& cx, const Side& a, const Side& b);
// y - x, if it is constant.
std::optional<std::int64_t> distance(Context& cx, Expr x, Expr y);

struct Box {
  std::vector<Side> sides;
  bool is_exact = true;   // every element is touched, except those that the predicate excludes
  bool is_mixed = false;  // an index has fixed and running loops in one term, such as (i + j)/3
};

// The bounding box of an access at `indices` (over the iterators of the block) in one iteration of
// `fixed` and the loops around it; nullptr: in the whole program. Predicates are ignored.
Box box_of(Context& cx, const Site& site, std::span<const Expr> indices, const Loop* fixed);
// The same, if every iterator takes all its values.
Box box_over_iterators(Context& cx, std::span<const Expr> indices);

// A box with constant ends: the first and last element of each dimension.
using Region = std::vector<expr::Interval>;

// Whether the regions together hold all of `wanted`.
bool cover(std::span<const Region> regions, const Region& wanted);

// The innermost loop around both; nullptr: none.
const Loop* common_loop(const Site& a, const Site& b);

}  // namespace cambium::program
