// Scalars: the values that blocks compute, for one point of their iterators. They are typed,
// immutable trees over loads, constants and index expressions. A program::Context makes them from
// well-typed operands only; `type_of` tells the parser why operands do not fit.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/dtype.h"
#include "base/result.h"
#include "expr/node.h"
#include "program/functions.h"

namespace cambium::program {

using expr::Expr;

// What the nodes mean (the functions are explained in functions.h). Evaluation has no effects, so
// its order does not matter, with one exception that programs rely on: Select evaluates its
// condition and then only the side that it chose, so that a load beyond the edge of a buffer may
// stand behind a condition. A load outside its buffer, or of an element that nothing has written,
// is refused by the interpreter and undefined in native code; the verifier proves its absence.
//
//   Const    a number of its type                                 1.5  i32(7)  -inf  true
//   Index    an index expression as i64, or a predicate as bool   [2*i + 1]  [i < 3]
//   Load     an element, by index expressions                     x[n, ci, oh + kh - 1]
//   Gather   an element, by whole numbers computed at run time    gather(table, ids[i], [j])
//   Unary    a function of one operand                            exp(v)  -v
//   Binary   a function of two of the same type                   v + w  max(v, w)
//   Select   condition ? first : second; both of one type         select([i < 3], v, w)
//   Cast     to another type: floating to whole toward zero and   f64(v)
//            saturating, NaN to 0; whole to whole by wrapping; to bool: v != 0
//
// X(enumerator, operands; -1: any number)
// clang-format off
#define CAMBIUM_FOR_EACH_SCALAR(X) \
  X(Const, 0)   \
  X(Index, 0)   \
  X(Load, 0)    \
  X(Gather, -1) \
  X(Unary, 1)   \
  X(Binary, 2)  \
  X(Select, 3)  \
  X(Cast, 1)
// clang-format on

enum class ScalarKind : std::uint8_t {
#define CAMBIUM_X(enumerator, operands) enumerator,
  CAMBIUM_FOR_EACH_SCALAR(CAMBIUM_X)
#undef CAMBIUM_X
};

struct Buffer;
struct ScalarNode;
using Scalar = const ScalarNode*;

struct ScalarNode {
  ScalarKind kind;
  DType type;                     // never F16 or BF16
  std::uint8_t fn;                // Unary, Binary
  std::uint16_t depth;            // leaves have 0
  std::uint64_t bits;             // Const: of a double when floating, otherwise of the whole number
  const Buffer* buffer;           // Load, Gather
  std::span<const Expr> indices;  // Load: one per dimension; Index: one
  std::span<const Scalar> operands;

  UnaryFn unary() const { return static_cast<UnaryFn>(fn); }
  BinaryFn binary() const { return static_cast<BinaryFn>(fn); }
  double number() const { return std::bit_cast<double>(bits); }
  std::int64_t whole() const { return static_cast<std::int64_t>(bits); }
};

inline constexpr int kDeepestScalar = 1000;  // everything recurses over scalars

// The type of the result. Refuse OperandType.
Result<DType> type_of(UnaryFn fn, DType operand);
Result<DType> type_of(BinaryFn fn, DType left, DType right);
Result<DType> type_of_select(DType condition, DType first, DType second);

// Whether a type can hold a number: an i8 cannot hold 300. Floating types can hold every floating
// number, because it is rounded.
bool fits(std::int64_t number, DType type);

// Calls f with the scalar and all scalars below it. Operands come after their node.
template <class F>
void for_each_scalar(Scalar scalar, const F& f) {
  f(scalar);
  for (Scalar operand : scalar->operands) for_each_scalar(operand, f);
}

}  // namespace cambium::program
