#include "expr/termination.h"

namespace cambium::expr {
namespace {

constexpr std::string_view kRest = "y";

Weight plus(Weight a, const Weight& b, std::int64_t more) {
  a.constant += b.constant + more;
  for (const auto& [name, times] : b.variables) a.variables[name] += times;
  return a;
}

Weight times(Weight a, std::int64_t factor, std::int64_t more) {
  a.constant = a.constant * factor + more;
  for (auto& [name, count] : a.variables) count *= factor;
  return a;
}

bool is_nothing(Expr e, bool y_is_nothing) {
  return y_is_nothing && e->kind == Kind::Axis && name_of(e) == kRest;
}

// Whatever holds no variable is one constant at once; only negation is left to a rule.
bool is_constant(Expr e, bool y_is_nothing) {
  if (e->kind == Kind::Not) return false;
  if (e->kind == Kind::Axis) return is_nothing(e, y_is_nothing);
  const int operands = info(e->kind).operands;
  return (operands < 1 || is_constant(e->a, y_is_nothing)) &&
         (operands < 2 || is_constant(e->b, y_is_nothing));
}

}  // namespace

Weight weight_of(Expr e, bool y_is_nothing) {
  if (is_constant(e, y_is_nothing)) return {1, {}};
  const auto of = [y_is_nothing](Expr operand) { return weight_of(operand, y_is_nothing); };
  switch (e->kind) {
    case Kind::Axis: return {0, {{name_of(e), 1}}};
    case Kind::Add:
      if (is_nothing(e->a, y_is_nothing)) return of(e->b);
      if (is_nothing(e->b, y_is_nothing)) return of(e->a);
      return plus(of(e->a), of(e->b), 3);
    case Kind::Mul: return times(of(e->a), 2, 1);
    case Kind::Div: return times(of(e->a), 3, 0);
    case Kind::Mod: return times(of(e->a), 4, 1);
    case Kind::Min:
    case Kind::Max: return plus(of(e->a), of(e->b), 2);
    case Kind::Less: return plus(of(e->a), of(e->b), 1);
    case Kind::Equal: return times(plus(of(e->a), of(e->b), 0), 3, 0);
    case Kind::And:
    case Kind::Or: return plus(of(e->a), of(e->b), 4);
    case Kind::Not: return times(of(e->a), 2, 3);
    case Kind::Const:
    case Kind::Bool: break;
  }
  return {1, {}};
}

bool outweighs(const Weight& a, const Weight& b) {
  // With every variable at its least, one; a larger coefficient only helps.
  std::int64_t least = a.constant - b.constant;
  for (const auto& [name, count] : a.variables) least += count;
  for (const auto& [name, count] : b.variables) {
    const auto in_a = a.variables.find(name);
    if (in_a == a.variables.end() || in_a->second < count) return false;
    least -= count;
  }
  return least > 0;
}

}  // namespace cambium::expr
