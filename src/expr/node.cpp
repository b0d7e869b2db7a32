#include "expr/node.h"

#include <iterator>

namespace cambium::expr {

const NodeInfo& info(Kind kind) {
  static constexpr NodeInfo kInfos[] = {
#define CAMBIUM_X(name, operands, predicate, sign) {#name, operands, predicate, sign},
      CAMBIUM_FOR_EACH_NODE(CAMBIUM_X)
#undef CAMBIUM_X
  };
  return kInfos[static_cast<std::size_t>(kind)];
}

bool comes_before(Expr x, Expr y) {
  if (x == y) return false;
  const bool x_is_constant = x->kind == Kind::Const;
  const bool y_is_constant = y->kind == Kind::Const;
  if (x_is_constant != y_is_constant) return y_is_constant;
  if (x->kind != y->kind) return x->kind < y->kind;
  if (x->kind == Kind::Axis && name_of(x) != name_of(y)) return name_of(x) < name_of(y);
  return x->fingerprint < y->fingerprint;
}

}  // namespace cambium::expr
