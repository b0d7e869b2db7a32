#include "expr/substitute.h"

#include <unordered_map>

namespace cambium::expr {
namespace {

// The node with other operands, through the builder because a constant may have come under a
// factor.
Expr with_operands(Context& cx, Expr e, Expr a, Expr b) {
  if (a == e->a && b == e->b) return e;
  return e->kind == Kind::Mul ? mul(cx, a, value_of(b)) : cx.node(e->kind, a, b);
}

// For the few nodes of most indices, walking twice costs less than remembering.
Expr substitute_shallow(Context& cx, Expr e, std::span<const Replacement> replacements) {
  for (const Replacement& r : replacements) {
    if (r.axis == e) return r.by;
  }
  if (info(e->kind).operands == 0) return e;
  Expr a = substitute_shallow(cx, e->a, replacements);
  Expr b = e->b == nullptr ? nullptr : substitute_shallow(cx, e->b, replacements);
  return with_operands(cx, e, a, b);
}

class Substitution {
 public:
  Substitution(Context& cx, std::span<const Replacement> replacements) : cx_(cx) {
    for (const Replacement& r : replacements) done_.emplace(r.axis, r.by);
  }

  Expr operator()(Expr e) {
    const auto known = done_.find(e);
    if (known != done_.end()) return known->second;
    if (info(e->kind).operands == 0) return e;
    Expr a = (*this)(e->a);
    Expr b = e->b == nullptr ? nullptr : (*this)(e->b);
    Expr result = with_operands(cx_, e, a, b);
    done_.emplace(e, result);
    return result;
  }

 private:
  Context& cx_;
  std::unordered_map<Expr, Expr> done_;  // shared sub-expressions are visited once
};

}  // namespace

Expr substitute(Context& cx, Expr e, std::span<const Replacement> replacements) {
  constexpr int kShallow = 4;
  return e->depth <= kShallow ? substitute_shallow(cx, e, replacements)
                              : Substitution(cx, replacements)(e);
}

}  // namespace cambium::expr
