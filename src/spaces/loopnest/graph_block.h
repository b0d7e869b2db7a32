// BlockForm: a block of a rewritten nest as a sum of products, a copy or zeros, over the loops
// around it. Refuses NotAContraction for other blocks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "program/context.h"
#include "program/walk.h"

namespace cambium::spaces::loopnest {

using expr::Expr;

std::int64_t extent_of_loop(Expr loop);

struct Reading {
  const program::Buffer* buffer = nullptr;
  std::vector<Expr> at;  // over loops
};

struct BlockForm {
  std::string_view name;
  std::vector<Expr> loops;  // outermost first
  const program::Buffer* target = nullptr;
  std::vector<Expr> to;          // indices of the target, over loops
  std::vector<Reading> factors;  // the factors of the product; none: it writes zeros
  std::vector<Expr> conditions;  // the product is 0 if one does not hold
  bool is_sum = false;           // sums the product over the loops that `to` lacks
  bool starts_anew = true;       // false: the sum is added to the target

  bool is_copy() const { return !is_sum && factors.size() == 1; }
};

Result<BlockForm> form_of(program::Context& cx, const program::Site& site);

// The form with one loop fixed at an iteration.
BlockForm at_iteration(program::Context& cx, const BlockForm& form, Expr loop,
                       std::int64_t iteration);

// Makes `form` read the source of `copy` instead of its result. The copy must write every element,
// at plain loops (`can_read_through`).
bool can_read_through(const BlockForm& copy);
void read_through(program::Context& cx, const BlockForm& copy, BlockForm& form);

}  // namespace cambium::spaces::loopnest
