// The functions of loop programs, in lists. The enums, names, printer and parser follow from these
// lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/dtype.h"

// clang-format off

// What the functions mean. All operands and the result have one type, unless stated otherwise.
// Every operation rounds once, to its own type, to nearest even; a code generator may contract x*y
// + z into one rounding, and nothing else. Whole numbers wrap around. Values of type f16 and bf16
// do not exist: a load widens them to f32 and a store rounds.
//
// X(enumerator, name, which operands it takes)
#define CAMBIUM_FOR_EACH_UNARY_FN(X)                                                        \
  X(Neg,   "neg",   Number)   /* written -x */                                              \
  X(Abs,   "abs",   Number)                                                                 \
  X(Sign,  "sign",  Number)   /* -1, 0 or 1; of NaN: NaN; of a zero: that zero */           \
  X(Exp,   "exp",   Floating) X(Expm1, "expm1", Floating)                                   \
  X(Log,   "log",   Floating) X(Log1p, "log1p", Floating)                                   \
  X(Sqrt,  "sqrt",  Floating) X(Erf,   "erf",   Floating)                                   \
  X(Sin,   "sin",   Floating) X(Cos,   "cos",   Floating) X(Tan,   "tan",   Floating)       \
  X(Asin,  "asin",  Floating) X(Acos,  "acos",  Floating) X(Atan,  "atan",  Floating)       \
  X(Sinh,  "sinh",  Floating) X(Cosh,  "cosh",  Floating) X(Tanh,  "tanh",  Floating)       \
  X(Asinh, "asinh", Floating) X(Acosh, "acosh", Floating) X(Atanh, "atanh", Floating)       \
  X(Floor, "floor", Floating) X(Ceil,  "ceil",  Floating)                                   \
  X(Round, "round", Floating) /* half to even */                                            \
  X(IsNan, "is_nan", Floating) /* gives bool */                                             \
  X(Not,   "not",   Truth)    /* written !x */

// X(enumerator, name, operands, sign between them or "", how tightly it binds)
#define CAMBIUM_FOR_EACH_BINARY_FN(X)                                                       \
  X(Or,        "or",  Truth,    "||", 0) /* both sides are evaluated */                     \
  X(And,       "and", Truth,    "&&", 1)                                                    \
  X(Less,      "lt",  Number,   "<",  2) /* comparisons give bool; with NaN all are false */\
  X(LessEqual, "le",  Number,   "<=", 2)                                                    \
  X(Equal,     "eq",  Any,      "==", 2)                                                    \
  X(NotEqual,  "ne",  Any,      "!=", 2) /* except this one, which is true */               \
  X(Add,       "add", Number,   "+",  3)                                                    \
  X(Sub,       "sub", Number,   "-",  3)                                                    \
  X(Mul,       "mul", Number,   "*",  4)                                                    \
  X(Div,       "div", Number,   "/",  4) /* of whole numbers: toward zero, and x/0 is 0 */  \
  X(Min,       "min", Number,   "",   6) /* x < y ? x : y, so y when one is NaN: as x86 */  \
  X(Max,       "max", Number,   "",   6) /* x > y ? x : y; max(0.0, x) lets a NaN through */\
  X(Pow,       "pow", Floating, "",   6)                                                    \
  X(Mod,       "mod", Number,   "",   6) /* sign of the divisor; whole x mod 0 is 0 */      \
  X(Rem,       "rem", Number,   "",   6) /* sign of the dividend; whole x rem 0 is 0 */

// How a block combines its value with the value of its target. X(enumerator, name, sign, function
// or Add)
#define CAMBIUM_FOR_EACH_COMBINE(X)   \
  X(Assign,  "assign",  "=",    Add)  \
  X(Sum,     "sum",     "+=",   Add)  \
  X(Product, "product", "*=",   Mul)  \
  X(Maximum, "maximum", "max=", Max)  \
  X(Minimum, "minimum", "min=", Min)

#define CAMBIUM_FOR_EACH_ROLE(X) \
  X(Input,    "input")           \
  X(Constant, "constant") /* weights: what is computed from constants alone may be done at load */ \
  X(Output,   "output")          \
  X(Local,    "local")

#define CAMBIUM_FOR_EACH_LOOP_KIND(X) \
  X(Serial,     "serial")             \
  X(Parallel,   "parallel")           \
  X(Vectorized, "vectorized")         \
  X(Unrolled,   "unrolled")

#define CAMBIUM_FOR_EACH_ITERATOR_KIND(X) X(Spatial, "spatial") X(Reduce, "reduce")

// Annotations that code generators obey. Other keys are notes of a schedule for itself.
// X(enumerator, name, takes a number (otherwise a text))
#define CAMBIUM_FOR_EACH_HINT(X)                                                            \
  X(Prefetch, "prefetch", true)  /* of a block: iterations ahead of which to fetch */       \
  X(Unroll,   "unroll",   true)  /* of a loop: copies of the body */                        \
  X(Grain,    "grain",    true)  /* of a parallel loop: iterations that one task takes */   \
  X(Kernel,   "kernel",   false) /* of a block or loop: a note of its register tile, "6x4" */ \
  X(Space,    "space",    false) /* of a buffer: where it lives, e.g. "register" */         \
  X(Align,    "align",    true)  /* of a buffer: bytes; locals have 64 without asking */
// clang-format on

namespace cambium::program {

#define CAMBIUM_X(enumerator, ...) enumerator,
enum class UnaryFn : std::uint8_t { CAMBIUM_FOR_EACH_UNARY_FN(CAMBIUM_X) };
enum class BinaryFn : std::uint8_t { CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X) };
enum class Combine : std::uint8_t { CAMBIUM_FOR_EACH_COMBINE(CAMBIUM_X) };
enum class Role : std::uint8_t { CAMBIUM_FOR_EACH_ROLE(CAMBIUM_X) };
enum class LoopKind : std::uint8_t { CAMBIUM_FOR_EACH_LOOP_KIND(CAMBIUM_X) };
enum class IteratorKind : std::uint8_t { CAMBIUM_FOR_EACH_ITERATOR_KIND(CAMBIUM_X) };
enum class Hint : std::uint8_t { CAMBIUM_FOR_EACH_HINT(CAMBIUM_X) };
#undef CAMBIUM_X

enum class Operands : std::uint8_t { Number, Floating, Truth, Any };

std::string_view name_of(UnaryFn fn);
std::string_view name_of(BinaryFn fn);
std::string_view name_of(Combine combine);
std::string_view name_of(Role role);
std::string_view name_of(LoopKind kind);
std::string_view name_of(IteratorKind kind);
std::string_view name_of(Hint hint);

Operands operands_of(UnaryFn fn);
Operands operands_of(BinaryFn fn);
std::string_view sign_of(BinaryFn fn);  // "": written as a function
std::string_view sign_of(Combine combine);
int level_of(BinaryFn fn);
bool takes_number(Hint hint);
BinaryFn function_of(Combine combine);  // not of Assign

// The enumerator of that name, or nothing.
template <class E>
std::optional<E> enumerator_named(std::string_view name);
std::optional<Combine> combine_written(std::string_view sign);

// The type in which the elements of a buffer take part in arithmetic.
inline DType value_type(DType stored) {
  return stored == DType::F16 || stored == DType::BF16 ? DType::F32 : stored;
}
bool accepts(Operands operands, DType type);

inline constexpr bool gives_truth(BinaryFn fn) {
  return fn <= BinaryFn::NotEqual;
}

}  // namespace cambium::program
