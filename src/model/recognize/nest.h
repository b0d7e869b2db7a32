// Nest: a contraction as loops and accesses,
//   out[loops that stay] = sum over the others of the product of operands[axes(loops)]
// whatever operators expressed it. It combines views of the operands with the letters of an
// equation.
#pragma once

#include <optional>
#include <vector>

#include "model/recognize/view.h"

namespace cambium::model::recognition {

struct Loop {
  std::int64_t extent = 1;
  bool reduced = false;
};

// A coordinate of an operand as a function of the loops: constant + sum of steps[l] * l.
struct Axis {
  std::int64_t extent = 1;
  std::int64_t constant = 0;
  std::int64_t low = 0, high = 1;  // outside of the range is the fill
  std::size_t origin = 0;          // equal for axes that were split from one axis
  Ints steps;                      // by loop; loops beyond its end do not move it

  std::int64_t step(std::size_t loop) const { return loop < steps.size() ? steps[loop] : 0; }
  void set_step(std::size_t loop, std::int64_t step);
  std::vector<std::size_t> loops() const;  // loops that move it
};

struct Access {
  Value base;
  std::vector<Axis> axes;  // the extents are a reshape of the base
  std::optional<double> fill;

  bool uses(std::size_t loop) const;
  std::size_t users(std::size_t loop) const;  // how many axes the loop moves
};

struct Nest {
  std::vector<Loop> loops;
  std::vector<Access> operands;
  std::vector<std::size_t> output;  // the loops that stay, slowest first
  Ints output_dims;
};

// One operand: the letter of each of its dimensions.
struct Term {
  View view;
  std::vector<std::size_t> letters;
};

// `extents` by letter. Letters that `output` lacks are summed. Returns nothing if two operands
// split one letter into incompatible factors.
std::optional<Nest> make_nest(const std::vector<Term>& terms, const Ints& extents,
                              const std::vector<std::size_t>& output);

// Whether the axis covers exactly one loop of this extent.
Axis plain_axis(std::size_t loop, std::int64_t extent);
// Whether the axis reads exactly one loop from end to end, and no other axis of the access reads
// it.
bool is_plain(const Access& access, const Axis& axis, const std::vector<Loop>& loops);

struct Reach {
  std::int64_t low, high;  // both are reached
};
Reach reach_of(const Axis& axis, const std::vector<Loop>& loops);
// Whether some iteration of the loops reads the fill.
bool leaves_base(const Axis& axis, const std::vector<Loop>& loops);

// The loops of an axis as digits of one number, fastest first: the steps are t, t * e0, t * e0 * e1
// ... Returns nothing if they overlap or leave gaps.
std::optional<std::vector<std::size_t>> digits_of(const Axis& axis, const std::vector<Loop>& loops);

}  // namespace cambium::model::recognition
