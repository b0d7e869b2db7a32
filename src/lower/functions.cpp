#include "lower/functions.h"

#include <cmath>

namespace cambium::lower {
namespace {

using model::ActivationFn;
using P1 = program::UnaryFn;
using P2 = program::BinaryFn;

// Of the two orders of operands, the one in which a NaN on the right gets through.
Val at_least(double low, Val x) {
  return apply(P2::Max, number_like(x, low), x);
}

// 0 to `high`; as std::clamp by comparisons, a NaN becomes the limit it is compared with first.
Val ramp(Val x, double high) {
  return apply(P2::Max, apply(P2::Min, x, number_like(x, high)), number_like(x, 0));
}

Val one_plus_exp_of_minus(Val x) {
  return apply(P1::Exp, -x) + 1;
}

Val softplus(Val x) {
  return at_least(0, x) + apply(P1::Log1p, apply(P1::Exp, -apply(P1::Abs, x)));
}

Val gelu_tanh(Val x) {
  const Val inner = (x + x * x * x * 0.044715) * 0.79788456080286535588;
  return x * 0.5 * (apply(P1::Tanh, inner) + 1);
}

Val is_below(Val x, double limit) {
  return apply(P2::Less, x, number_like(x, limit));
}

}  // namespace

Val unary(model::UnaryFn fn, Val x) {
  using model::UnaryFn;
  switch (fn) {
    case UnaryFn::Relu: return at_least(0, x);
    case UnaryFn::Sigmoid: return number_like(x, 1) / one_plus_exp_of_minus(x);
    case UnaryFn::Tanh: return apply(P1::Tanh, x);
    case UnaryFn::Erf: return apply(P1::Erf, x);
    case UnaryFn::Exp: return apply(P1::Exp, x);
    case UnaryFn::Log: return apply(P1::Log, x);
    case UnaryFn::Sqrt: return apply(P1::Sqrt, x);
    case UnaryFn::Abs: return apply(P1::Abs, x);
    case UnaryFn::Neg: return -x;
    case UnaryFn::Reciprocal: return number_like(x, 1) / x;
    case UnaryFn::Sign: return apply(P1::Sign, x);
    case UnaryFn::Floor: return apply(P1::Floor, x);
    case UnaryFn::Ceil: return apply(P1::Ceil, x);
    case UnaryFn::Round: return apply(P1::Round, x);
    case UnaryFn::Sin: return apply(P1::Sin, x);
    case UnaryFn::Cos: return apply(P1::Cos, x);
    case UnaryFn::Tan: return apply(P1::Tan, x);
    case UnaryFn::Asin: return apply(P1::Asin, x);
    case UnaryFn::Acos: return apply(P1::Acos, x);
    case UnaryFn::Atan: return apply(P1::Atan, x);
    case UnaryFn::Sinh: return apply(P1::Sinh, x);
    case UnaryFn::Cosh: return apply(P1::Cosh, x);
    case UnaryFn::Asinh: return apply(P1::Asinh, x);
    case UnaryFn::Acosh: return apply(P1::Acosh, x);
    case UnaryFn::Atanh: return apply(P1::Atanh, x);
    case UnaryFn::Softplus: return softplus(x);
    case UnaryFn::Softsign: return x / (apply(P1::Abs, x) + 1);
    case UnaryFn::HardSwish: return x * ramp(x + 3, 6) * (1.0 / 6);
    case UnaryFn::Mish: return x * apply(P1::Tanh, softplus(x));
    case UnaryFn::Gelu: return x * 0.5 * (apply(P1::Erf, x * 0.70710678118654752440) + 1);
    case UnaryFn::GeluTanh: return gelu_tanh(x);
    case UnaryFn::Silu: return x / one_plus_exp_of_minus(x);
    case UnaryFn::Not: return apply(P1::Not, x);
    case UnaryFn::IsNan: return apply(P1::IsNan, x);
  }
  CAMBIUM_CHECK(false, name_of(fn));
  return x;
}

Val activation(const Site& site, const model::Activation& op, DType dtype, Val x) {
  switch (op.fn) {
    case ActivationFn::LeakyRelu: return select(is_below(x, 0), x * op.alpha, x);
    case ActivationFn::Elu: return select(is_below(x, 0), apply(P1::Expm1, x) * op.alpha, x);
    case ActivationFn::Celu:
      return select(is_below(x, 0), apply(P1::Expm1, x / number_like(x, op.alpha)) * op.alpha, x);
    case ActivationFn::Selu:
      return select(apply(P2::Less, number_like(x, 0), x), x, apply(P1::Expm1, x) * op.alpha) *
             op.beta;
    case ActivationFn::ThresholdedRelu:
      return select(apply(P2::Less, number_like(x, op.alpha), x), x, number_like(x, 0));
    case ActivationFn::HardSigmoid: return ramp(x * op.alpha + op.beta, 1);
    case ActivationFn::Clip: {
      const Val raised = apply(P2::Max, site.number(op.alpha, dtype), x);
      return apply(P2::Min, site.number(op.beta, dtype), raised);
    }
  }
  CAMBIUM_CHECK(false, name_of(op.fn));
  return x;
}

Val binary(model::BinaryFn fn, Val a, Val b) {
  using model::BinaryFn;
  // A NaN on the left has to be let through by hand.
  const auto extreme = [&](P2 which) {
    const Val chosen = apply(which, a, b);
    return is_floating(a.s->type) ? select(apply(P1::IsNan, a), a, chosen) : chosen;
  };
  switch (fn) {
    case BinaryFn::Add: return a + b;
    case BinaryFn::Sub: return a - b;
    case BinaryFn::Mul: return a * b;
    case BinaryFn::Div: return a / b;
    case BinaryFn::Min: return extreme(P2::Min);
    case BinaryFn::Max: return extreme(P2::Max);
    case BinaryFn::Mod: return apply(P2::Mod, a, b);
    case BinaryFn::Fmod: return apply(P2::Rem, a, b);
    case BinaryFn::Equal: return apply(P2::Equal, a, b);
    case BinaryFn::Less: return apply(P2::Less, a, b);
    case BinaryFn::LessOrEqual: return apply(P2::LessEqual, a, b);
    case BinaryFn::Greater: return apply(P2::Less, b, a);
    case BinaryFn::GreaterOrEqual: return apply(P2::LessEqual, b, a);
    case BinaryFn::And: return apply(P2::And, a, b);
    case BinaryFn::Or: return apply(P2::Or, a, b);
    case BinaryFn::Xor: return apply(P2::NotEqual, a, b);
    case BinaryFn::Pow: break;
  }
  CAMBIUM_CHECK(false, name_of(fn));
  return a;
}

}  // namespace cambium::lower
