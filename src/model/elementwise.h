// The functions of the elementwise, pooling and reduction families as lists of enumerator and name.
// The text form prints these names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// clang-format off
#define CAMBIUM_FOR_EACH_UNARY(X)                                                             \
  X(Relu, "relu") X(Sigmoid, "sigmoid") X(Tanh, "tanh") X(Erf, "erf") X(Exp, "exp") X(Log, "log") \
  X(Sqrt, "sqrt") X(Abs, "abs") X(Neg, "neg") X(Reciprocal, "reciprocal") X(Sign, "sign")     \
  X(Floor, "floor") X(Ceil, "ceil") X(Round, "round") /* half to even */                      \
  X(Sin, "sin") X(Cos, "cos") X(Tan, "tan") X(Asin, "asin") X(Acos, "acos") X(Atan, "atan")   \
  X(Sinh, "sinh") X(Cosh, "cosh") X(Asinh, "asinh") X(Acosh, "acosh") X(Atanh, "atanh")       \
  X(Softplus, "softplus") X(Softsign, "softsign") X(HardSwish, "hard_swish") X(Mish, "mish")  \
  X(Gelu, "gelu") /* x/2 (1 + erf(x/sqrt 2)) */                                               \
  X(GeluTanh, "gelu_tanh") /* its tanh approximation */                                       \
  X(Silu, "silu") /* x sigmoid(x) */                                                          \
  X(Not, "not") X(IsNan, "is_nan")

#define CAMBIUM_FOR_EACH_ACTIVATION(X)                                                            \
  X(LeakyRelu, "leaky_relu")            /* x < 0 ? alpha x : x */                             \
  X(Elu, "elu")                         /* x < 0 ? alpha (exp x - 1) : x */                   \
  X(Celu, "celu")                       /* max(0, x) + min(0, alpha (exp(x / alpha) - 1)) */   \
  X(Selu, "selu")                       /* beta (x > 0 ? x : alpha (exp x - 1)) */            \
  X(ThresholdedRelu, "thresholded_relu")/* x > alpha ? x : 0 */                               \
  X(HardSigmoid, "hard_sigmoid")        /* max(0, min(1, alpha x + beta)) */                  \
  X(Clip, "clip")                       /* min(beta, max(alpha, x)) */

#define CAMBIUM_FOR_EACH_BINARY(X)                                                            \
  X(Add, "add") X(Sub, "sub") X(Mul, "mul") X(Div, "div") /* integers: toward zero */         \
  X(Min, "min") X(Max, "max") X(Pow, "pow")                                                   \
  X(Mod, "mod") /* sign of the divisor */ X(Fmod, "fmod") /* sign of the dividend */          \
  X(Equal, "equal") X(Less, "less") X(LessOrEqual, "less_or_equal")                           \
  X(Greater, "greater") X(GreaterOrEqual, "greater_or_equal")                                 \
  X(And, "and") X(Or, "or") X(Xor, "xor")

#define CAMBIUM_FOR_EACH_REDUCE(X)                                                            \
  X(Mean, "mean") X(Sum, "sum") X(Max, "max") X(Min, "min") X(Prod, "prod") X(L1, "l1")       \
  X(L2, "l2") X(SumSquare, "sum_square") X(LogSum, "log_sum") X(LogSumExp, "log_sum_exp")

#define CAMBIUM_FOR_EACH_POOL(X) X(Max, "max") X(Average, "average")

#define CAMBIUM_FOR_EACH_PAD_MODE(X) X(Constant, "constant") X(Reflect, "reflect") X(Edge, "edge")
// clang-format on

namespace cambium::model {

#define CAMBIUM_X(enumerator, name) enumerator,
enum class UnaryFn : std::uint8_t { CAMBIUM_FOR_EACH_UNARY(CAMBIUM_X) };
enum class ActivationFn : std::uint8_t { CAMBIUM_FOR_EACH_ACTIVATION(CAMBIUM_X) };
enum class BinaryFn : std::uint8_t { CAMBIUM_FOR_EACH_BINARY(CAMBIUM_X) };
enum class ReduceFn : std::uint8_t { CAMBIUM_FOR_EACH_REDUCE(CAMBIUM_X) };
enum class PoolFn : std::uint8_t { CAMBIUM_FOR_EACH_POOL(CAMBIUM_X) };
enum class PadMode : std::uint8_t { CAMBIUM_FOR_EACH_PAD_MODE(CAMBIUM_X) };
#undef CAMBIUM_X

std::string_view name_of(UnaryFn fn);
std::string_view name_of(ActivationFn fn);
std::string_view name_of(BinaryFn fn);
std::string_view name_of(ReduceFn fn);
std::string_view name_of(PoolFn fn);
std::string_view name_of(PadMode mode);

// The enumerator with that name, or nothing.
template <class E>
std::optional<E> enumerator_named(std::string_view name);

inline bool is_comparison(BinaryFn fn) {
  return fn >= BinaryFn::Equal && fn <= BinaryFn::GreaterOrEqual;
}
inline bool is_logical(BinaryFn fn) {
  return fn >= BinaryFn::And;
}

}  // namespace cambium::model
