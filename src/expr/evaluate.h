// The meaning of an expression: its value for given axes and sizes. Every other part of this folder
// is tested against it. Refuses AxisUnbound, what the sizes refuse, and IndexOverflow.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "expr/binding.h"
#include "expr/node.h"

namespace cambium::expr {

struct AxisValue {
  Expr axis;
  std::int64_t value;
};

// Predicates have the value 0 or 1. Values of axes outside 0 <= i < extent are not refused, but a
// simplified expression may then have another value.
Result<std::int64_t> evaluate(Expr e, std::span<const AxisValue> axes, const Binding& sizes = {});

}  // namespace cambium::expr
