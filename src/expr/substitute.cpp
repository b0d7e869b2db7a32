#include "expr/substitute.h"

#include <unordered_map>

namespace cambium::expr {
namespace {

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
    Expr result = e;
    if (a != e->a || b != e->b) {
      // Through the builder, because a constant may have come under a factor.
      result = e->kind == Kind::Mul ? mul(cx_, a, value_of(b)) : cx_.node(e->kind, a, b);
    }
    done_.emplace(e, result);
    return result;
  }

 private:
  Context& cx_;
  std::unordered_map<Expr, Expr> done_;  // shared sub-expressions are visited once
};

}  // namespace

Expr substitute(Context& cx, Expr e, std::span<const Replacement> replacements) {
  return Substitution(cx, replacements)(e);
}

}  // namespace cambium::expr
