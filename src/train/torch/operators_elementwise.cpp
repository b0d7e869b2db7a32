// Elementwise operators and softmaxes.
#include <cmath>
#include <limits>

#include "train/torch/operators.h"
#include "train/torch/tensors.h"

namespace cambium::train {

using model::ActivationFn;
using model::BinaryFn;
using model::UnaryFn;

namespace {

torch::Tensor apply(UnaryFn fn, const torch::Tensor& x) {
  switch (fn) {
    case UnaryFn::Relu: return torch::relu(x);
    case UnaryFn::Sigmoid: return torch::sigmoid(x);
    case UnaryFn::Tanh: return torch::tanh(x);
    case UnaryFn::Erf: return torch::erf(x);
    case UnaryFn::Exp: return torch::exp(x);
    case UnaryFn::Log: return torch::log(x);
    case UnaryFn::Sqrt: return torch::sqrt(x);
    case UnaryFn::Abs: return torch::abs(x);
    case UnaryFn::Neg: return torch::neg(x);
    case UnaryFn::Reciprocal: return torch::reciprocal(x);
    case UnaryFn::Sign:  // of NaN: NaN
      return torch::isFloatingType(x.scalar_type()) ? torch::where(x.isnan(), x, torch::sign(x))
                                                    : torch::sign(x);
    case UnaryFn::Floor: return torch::floor(x);
    case UnaryFn::Ceil: return torch::ceil(x);
    case UnaryFn::Round: return torch::round(x);
    case UnaryFn::Sin: return torch::sin(x);
    case UnaryFn::Cos: return torch::cos(x);
    case UnaryFn::Tan: return torch::tan(x);
    case UnaryFn::Asin: return torch::asin(x);
    case UnaryFn::Acos: return torch::acos(x);
    case UnaryFn::Atan: return torch::atan(x);
    case UnaryFn::Sinh: return torch::sinh(x);
    case UnaryFn::Cosh: return torch::cosh(x);
    case UnaryFn::Asinh: return torch::asinh(x);
    case UnaryFn::Acosh: return torch::acosh(x);
    case UnaryFn::Atanh: return torch::atanh(x);
    case UnaryFn::Softplus: return torch::softplus(x);
    case UnaryFn::Softsign: return x / (1 + torch::abs(x));
    case UnaryFn::HardSwish: return torch::hardswish(x);
    case UnaryFn::Mish: return torch::mish(x);
    case UnaryFn::Gelu: return torch::gelu(x, "none");
    case UnaryFn::GeluTanh: return torch::gelu(x, "tanh");
    case UnaryFn::Silu: return torch::silu(x);
    case UnaryFn::Not: return torch::logical_not(x);
    case UnaryFn::IsNan: return torch::isnan(x);
  }
  return {};
}

// An infinite limit costs nothing. Limits for whole numbers are rounded first.
torch::Tensor clipped(torch::Tensor x, double low, double high) {
  if (!torch::isFloatingType(x.scalar_type())) {
    const auto whole = [&](double limit) {
      return converted(torch::tensor(limit, torch::kDouble), x.scalar_type()).item();
    };
    return torch::clamp_max(torch::clamp_min(x, whole(low)), whole(high));
  }
  if (low > -std::numeric_limits<double>::infinity()) x = torch::clamp_min(x, low);
  if (high < std::numeric_limits<double>::infinity()) x = torch::clamp_max(x, high);
  return x;
}

torch::Tensor apply(const model::Activation& op, const torch::Tensor& x) {
  switch (op.fn) {
    case ActivationFn::LeakyRelu: return torch::leaky_relu(x, op.alpha);
    case ActivationFn::Elu: return torch::elu(x, op.alpha);
    case ActivationFn::Celu: return torch::elu(x, op.alpha, 1, 1 / op.alpha);
    case ActivationFn::Selu: return torch::elu(x, op.alpha, op.beta);
    case ActivationFn::ThresholdedRelu: return torch::where(x > op.alpha, x, torch::zeros_like(x));
    case ActivationFn::HardSigmoid: return torch::clamp(op.alpha * x + op.beta, 0, 1);
    case ActivationFn::Clip: return clipped(x, op.alpha, op.beta);
  }
  return {};
}

// Whole numbers divided by zero give zero.
template <class Divide>
torch::Tensor divided(const torch::Tensor& a, const torch::Tensor& b, const Divide& divide) {
  if (torch::isFloatingType(a.scalar_type())) return divide(a, b);
  const torch::Tensor zero = b == 0;
  return divide(a, b.masked_fill(zero, 1)).masked_fill(zero, 0);
}

// The result has the type of the base, for any type of the exponent.
torch::Tensor raised(const torch::Tensor& a, const torch::Tensor& b) {
  const bool whole_base = !torch::isFloatingType(a.scalar_type());
  if (whole_base && torch::isFloatingType(b.scalar_type())) {
    return converted(torch::pow(a.to(torch::kDouble), b.to(torch::kDouble)), a.scalar_type());
  }
  return torch::pow(a, b.to(a.scalar_type()));
}

torch::Tensor apply(BinaryFn fn, const torch::Tensor& a, const torch::Tensor& b) {
  switch (fn) {
    case BinaryFn::Add: return a + b;
    case BinaryFn::Sub: return a - b;
    case BinaryFn::Mul: return a * b;
    case BinaryFn::Div:
      return divided(a, b, [](const auto& x, const auto& y) {
        return torch::isFloatingType(x.scalar_type()) ? x / y : torch::div(x, y, "trunc");
      });
    case BinaryFn::Min: return torch::minimum(a, b);
    case BinaryFn::Max: return torch::maximum(a, b);
    case BinaryFn::Pow: return raised(a, b);
    case BinaryFn::Mod:
      return divided(a, b, [](const auto& x, const auto& y) { return torch::remainder(x, y); });
    case BinaryFn::Fmod:
      return divided(a, b, [](const auto& x, const auto& y) { return torch::fmod(x, y); });
    case BinaryFn::Equal: return torch::eq(a, b);
    case BinaryFn::Less: return torch::lt(a, b);
    case BinaryFn::LessOrEqual: return torch::le(a, b);
    case BinaryFn::Greater: return torch::gt(a, b);
    case BinaryFn::GreaterOrEqual: return torch::ge(a, b);
    case BinaryFn::And: return torch::logical_and(a, b);
    case BinaryFn::Or: return torch::logical_or(a, b);
    case BinaryFn::Xor: return torch::logical_xor(a, b);
  }
  return {};
}

}  // namespace

Tensors run(const model::Unary& op, const Call& call) {
  return {apply(op.fn, call.input(0))};
}

Tensors run(const model::Activation& op, const Call& call) {
  return {apply(op, call.input(0))};
}

Tensors run(const model::Binary& op, const Call& call) {
  return {apply(op.fn, call.input(0), call.input(1))};
}

Tensors run(const model::Where&, const Call& call) {
  return {torch::where(call.input(0), call.input(1), call.input(2))};
}

Tensors run(const model::Cast& op, const Call& call) {
  return {converted(call.input(0), torch_type(op.to))};
}

Tensors run(const model::Softmax& op, const Call& call) {
  return {torch::softmax(call.input(0), op.axis)};
}

Tensors run(const model::LogSoftmax& op, const Call& call) {
  return {torch::log_softmax(call.input(0), op.axis)};
}

}  // namespace cambium::train
