// The nodes of index expressions, in one list. The enum, names, arities, the printer and the check
// that every node has a test come from this list. Nodes are immutable. A Context makes them and
// owns them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/fingerprint.h"
#include "expr/interval.h"
#include "expr/monomial.h"

namespace cambium::expr {

// Index arithmetic is exact, over all integers: nothing wraps, and evaluation refuses what does not
// fit 64 bits. `/` and `%` round toward minus infinity, so x == x/c*c + x%c and 0 <= x%c < c. The
// second operand of *, / and % is a Const, that of / and % a positive one: expressions are
// quasi-affine by construction. Every Const with variables in a denominator is taken to be an
// integer (legality is checked over all bindings before expressions are built). Operands have no
// effects, so the order of evaluation does not matter; && and || evaluate both sides.
//
//   Const  a Monomial: 3, -1, 4*W, Ci/g    Add  x + y           Less   x < y
//   Bool   true or false                   Mul  x * c           Equal  x == y
//   Axis   a variable, 0 <= i < extent     Div  floor(x / c)    And    p && q
//          (the extent is operand `a`)     Mod  x - x/c*c       Or     p || q
//                                          Min, Max             Not    !p
//
// X(name, operands, is it a predicate, how it is written)
// clang-format off
#define CAMBIUM_FOR_EACH_NODE(X) \
  X(Const, 0, false, "")    \
  X(Bool,  0, true,  "")    \
  X(Axis,  0, false, "")    \
  X(Add,   2, false, "+")   \
  X(Mul,   2, false, "*")   \
  X(Div,   2, false, "/")   \
  X(Mod,   2, false, "%")   \
  X(Min,   2, false, "min") \
  X(Max,   2, false, "max") \
  X(Less,  2, true,  "<")   \
  X(Equal, 2, true,  "==")  \
  X(And,   2, true,  "&&")  \
  X(Or,    2, true,  "||")  \
  X(Not,   1, true,  "!")
// clang-format on

enum class Kind : std::uint8_t {
#define CAMBIUM_X(name, operands, predicate, sign) name,
  CAMBIUM_FOR_EACH_NODE(CAMBIUM_X)
#undef CAMBIUM_X
};

#define CAMBIUM_X(name, operands, predicate, sign) +1
inline constexpr int kNodeKinds = 0 CAMBIUM_FOR_EACH_NODE(CAMBIUM_X);
#undef CAMBIUM_X

struct NodeInfo {
  std::string_view name;
  int operands;
  bool is_predicate;
  std::string_view sign;
};
const NodeInfo& info(Kind kind);

inline constexpr bool is_commutative(Kind kind) {
  return kind == Kind::Add || kind == Kind::Min || kind == Kind::Max || kind == Kind::Equal ||
         kind == Kind::And || kind == Kind::Or;
}

struct Node {
  Kind kind;
  bool symbolic;            // a size variable occurs in it
  std::uint16_t depth;      // saturating; leaves have 0
  const Node* a;            // first operand; the extent of an Axis
  const Node* b;            // second operand
  Interval range;           // numbers between which it lies
  Fingerprint fingerprint;  // equal in all contexts that declare size variables in the same order

  // Facts that a context has derived about this node; not part of its value.
  mutable const Node* simplified;
  mutable const struct SizeRange* size_range;  // see bounds.h
};

struct ConstNode : Node {
  Monomial value;
};

struct AxisNode : Node {
  std::string_view name;
};

// An expression is a node; equal expressions of one context are the same pointer.
using Expr = const Node*;

inline const Monomial& value_of(Expr e) {
  return static_cast<const ConstNode*>(e)->value;
}
inline std::string_view name_of(Expr e) {
  return static_cast<const AxisNode*>(e)->name;
}
inline Expr extent_of(Expr axis) {
  return axis->a;
}
inline bool is_const(Expr e, std::int64_t number) {
  return e->kind == Kind::Const && value_of(e).is(number);
}
inline bool truth_of(Expr e) {
  return e->range.lo == 1;
}  // of a Bool
inline bool is_predicate(Expr e) {
  return info(e->kind).is_predicate;
}

// Total order that is the same in every context: axes by name, then other kinds, constants last.
bool comes_before(Expr x, Expr y);

}  // namespace cambium::expr
