#include "expr/evaluate.h"

#include <algorithm>
#include <string>

namespace cambium::expr {
namespace {

Result<std::int64_t> value_at(const Monomial& constant, const Binding& sizes) {
  if (constant.is_number()) return constant.factor;
  CAMBIUM_TRY(const std::int64_t size, evaluate(constant.magnitude(), sizes));
  return constant.factor < 0 ? -size : size;
}

Result<std::int64_t> apply(Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  switch (kind) {
    case Kind::Add:
      if (__builtin_add_overflow(a, b, &r)) return Rejection(Reason::IndexOverflow);
      return r;
    case Kind::Mul:
      if (__builtin_mul_overflow(a, b, &r)) return Rejection(Reason::IndexOverflow);
      return r;
    case Kind::Div: return floor_div(a, b);
    case Kind::Mod: return floor_mod(a, b);
    case Kind::Min: return std::min(a, b);
    case Kind::Max: return std::max(a, b);
    case Kind::Less: return a < b ? 1 : 0;
    case Kind::Equal: return a == b ? 1 : 0;
    case Kind::And: return a & b;
    case Kind::Or: return a | b;
    case Kind::Not: return 1 - a;
    case Kind::Const:
    case Kind::Bool:
    case Kind::Axis: break;
  }
  return a;
}

}  // namespace

Result<std::int64_t> evaluate(Expr e, std::span<const AxisValue> axes, const Binding& sizes) {
  switch (e->kind) {
    case Kind::Const: return value_at(value_of(e), sizes);
    case Kind::Bool: return e->range.lo;
    case Kind::Axis:
      for (const AxisValue& known : axes) {
        if (known.axis == e) return known.value;
      }
      return Rejection(Reason::AxisUnbound, std::string(name_of(e)));
    case Kind::Add:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Mod:
    case Kind::Min:
    case Kind::Max:
    case Kind::Less:
    case Kind::Equal:
    case Kind::And:
    case Kind::Or:
    case Kind::Not: break;
  }
  CAMBIUM_TRY(const std::int64_t a, evaluate(e->a, axes, sizes));
  std::int64_t b = 0;
  if (e->b != nullptr) {
    CAMBIUM_TRY(b, evaluate(e->b, axes, sizes));
  }
  return apply(e->kind, a, b);
}

}  // namespace cambium::expr
