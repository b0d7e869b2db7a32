// Boxes of elements that a block touches while some loops around it stand still. Compute-at shrinks
// buffers to them, caches hold them, and the verifier checks with them that elements are written
// before they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/interval.h"
#include "program/context.h"
#include "program/walk.h"

namespace cambium::program {

// One dimension: from base + range.lo to base + range.hi, where the base is over the loops that
// stand still.
struct Side {
  Expr base;
  expr::Interval range;

  friend bool operator==(const Side&, const Side&) = default;
};
// Both together, from the base of the first; nothing when their distance is not a number.
std::optional<Side> united(Context& cx, const Side& a, const Side& b);
// y - x when that is a number.
std::optional<std::int64_t> distance(Context& cx, Expr x, Expr y);

struct Box {
  std::vector<Side> sides;
  bool is_exact = true;   // every element of it is touched, unless the predicate leaves it out
  bool is_mixed = false;  // an index has standing and moving loops in one term, such as (i + j)/3
};

// The bounding box of an access at `indices` (over the iterators of the block) in one iteration of
// `fixed` and the loops around it; nullptr: in the whole program. Predicates do not narrow it.
Box box_of(Context& cx, const Site& site, std::span<const Expr> indices, const Loop* fixed);
// The same when every iterator takes all its values.
Box box_over_iterators(Context& cx, std::span<const Expr> indices);

// A box between numbers: per dimension the first and the last element.
using Region = std::vector<expr::Interval>;

// Whether the regions together hold all of `wanted`.
bool cover(std::span<const Region> regions, const Region& wanted);

// The innermost loop around both; nullptr: none.
const Loop* common_loop(const Site& a, const Site& b);

}  // namespace cambium::program
