// BlockForm: what a block of a rewritten nest does, over the loops around it. Refuses
// NotAContraction for blocks that do something else.
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
  std::vector<Expr> to;          // where it writes, over loops
  std::vector<Reading> factors;  // what is multiplied; none: it writes zeros
  std::vector<Expr> conditions;  // 0 where one does not hold
  bool is_sum = false;           // of the factors, over the loops that `to` lacks
  bool starts_anew = true;       // otherwise the sum is added to what is there

  bool is_copy() const { return !is_sum && factors.size() == 1; }
};

Result<BlockForm> form_of(program::Context& cx, const program::Site& site);

// The same with a loop at one of its iterations.
BlockForm at_iteration(program::Context& cx, const BlockForm& form, Expr loop,
                       std::int64_t iteration);

// A form that reads what `copy` has read, where it read the result of `copy`. The copy must write
// every element at the loops of its indices (`can_read_through`).
bool can_read_through(const BlockForm& copy);
void read_through(program::Context& cx, const BlockForm& copy, BlockForm& form);

}  // namespace cambium::spaces::loopnest
