// Elementwise operators as PyTorch code: one row of text per function, where $ stands for the
// input.
#include <array>
#include <cmath>

#include "model/pytorch/node_text.h"

namespace cambium::model::pytorch {

namespace {

std::string filled(std::string_view row, const std::string& x) {
  std::string out;
  for (const char c : row) {
    if (c == '$') {
      out += x;
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view row_of(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::Relu: return "torch.relu($)";
    case UnaryFn::Sigmoid: return "torch.sigmoid($)";
    case UnaryFn::Tanh: return "torch.tanh($)";
    case UnaryFn::Erf: return "torch.erf($)";
    case UnaryFn::Exp: return "torch.exp($)";
    case UnaryFn::Log: return "torch.log($)";
    case UnaryFn::Sqrt: return "torch.sqrt($)";
    case UnaryFn::Abs: return "torch.abs($)";
    case UnaryFn::Neg: return "-$";
    case UnaryFn::Reciprocal: return "torch.reciprocal($)";
    case UnaryFn::Sign: return "torch.sign($)";
    case UnaryFn::Floor: return "torch.floor($)";
    case UnaryFn::Ceil: return "torch.ceil($)";
    case UnaryFn::Round: return "torch.round($)";
    case UnaryFn::Sin: return "torch.sin($)";
    case UnaryFn::Cos: return "torch.cos($)";
    case UnaryFn::Tan: return "torch.tan($)";
    case UnaryFn::Asin: return "torch.asin($)";
    case UnaryFn::Acos: return "torch.acos($)";
    case UnaryFn::Atan: return "torch.atan($)";
    case UnaryFn::Sinh: return "torch.sinh($)";
    case UnaryFn::Cosh: return "torch.cosh($)";
    case UnaryFn::Asinh: return "torch.asinh($)";
    case UnaryFn::Acosh: return "torch.acosh($)";
    case UnaryFn::Atanh: return "torch.atanh($)";
    case UnaryFn::Softplus: return "F.softplus($)";
    case UnaryFn::Softsign: return "F.softsign($)";
    case UnaryFn::HardSwish: return "F.hardswish($)";
    case UnaryFn::Mish: return "F.mish($)";
    case UnaryFn::Gelu: return "F.gelu($)";
    case UnaryFn::GeluTanh: return "F.gelu($, approximate=\"tanh\")";
    case UnaryFn::Silu: return "F.silu($)";
    case UnaryFn::Not: return "torch.logical_not($)";
    case UnaryFn::IsNan: return "torch.isnan($)";
  }
  return "$";
}

// Bounds of whole numbers are whole; one that is infinite is none.
std::string bound(const char* name, double value, DType dtype) {
  if (std::isinf(value)) return "";
  const std::string text =
      is_integer(dtype) ? std::to_string(static_cast<std::int64_t>(value)) : number(value);
  return std::string(", ") + name + "=" + text;
}

std::string_view sign_of(BinaryFn fn) {
  switch (fn) {
    case BinaryFn::Add: return "+";
    case BinaryFn::Sub: return "-";
    case BinaryFn::Mul: return "*";
    case BinaryFn::Equal: return "==";
    case BinaryFn::Less: return "<";
    case BinaryFn::LessOrEqual: return "<=";
    case BinaryFn::Greater: return ">";
    case BinaryFn::GreaterOrEqual: return ">=";
    default: return "";
  }
}

std::string_view call_of(BinaryFn fn) {
  switch (fn) {
    case BinaryFn::Min: return "torch.minimum";
    case BinaryFn::Max: return "torch.maximum";
    case BinaryFn::Pow: return "torch.pow";
    case BinaryFn::Mod: return "torch.remainder";
    case BinaryFn::Fmod: return "torch.fmod";
    case BinaryFn::And: return "torch.logical_and";
    case BinaryFn::Or: return "torch.logical_or";
    case BinaryFn::Xor: return "torch.logical_xor";
    default: return "";
  }
}

}  // namespace

Text emit(const Unary& op, NodeText& t) {
  return filled(row_of(op.fn), t.in(0));
}

Text emit(const Activation& op, NodeText& t) {
  const std::string& x = t.in(0);
  const std::string alpha = number(op.alpha), beta = number(op.beta);
  switch (op.fn) {
    case ActivationFn::LeakyRelu: return "F.leaky_relu(" + x + ", " + alpha + ")";
    case ActivationFn::Elu: return "F.elu(" + x + ", " + alpha + ")";
    case ActivationFn::Celu: return "F.celu(" + x + ", " + alpha + ")";
    case ActivationFn::Selu: return beta + " * F.elu(" + x + ", " + alpha + ")";
    case ActivationFn::ThresholdedRelu: return "F.threshold(" + x + ", " + alpha + ", 0.0)";
    case ActivationFn::HardSigmoid:
      return "torch.clamp(" + alpha + " * " + x + " + " + beta + ", 0.0, 1.0)";
    case ActivationFn::Clip: {
      const DType dtype = t.type(0).dtype;
      const std::string bounds = bound("min", op.alpha, dtype) + bound("max", op.beta, dtype);
      return bounds.empty() ? x : "torch.clamp(" + x + bounds + ")";
    }
  }
  return t.refusal("an unknown function");
}

Text emit(const Binary& op, NodeText& t) {
  const std::string &a = t.in(0), &b = t.in(1);
  if (op.fn == BinaryFn::Div) {
    if (is_floating(t.type(0).dtype)) return a + " / " + b;
    return "torch.div(" + a + ", " + b + ", rounding_mode=\"trunc\")";
  }
  if (const std::string_view sign = sign_of(op.fn); !sign.empty()) {
    return a + " " + std::string(sign) + " " + b;
  }
  std::string call = std::string(call_of(op.fn)) + "(" + a + ", " + b + ")";
  if (op.fn == BinaryFn::Pow && t.type(0).dtype != t.type(1).dtype) {
    CAMBIUM_TRY(const std::string type, torch_type(t.out().dtype));
    call += ".to(" + type + ")";
  }
  return call;
}

Text emit(const Where&, NodeText& t) {
  return "torch.where(" + t.in(0) + ", " + t.in(1) + ", " + t.in(2) + ")";
}

Text emit(const Cast& op, NodeText& t) {
  CAMBIUM_TRY(const std::string type, torch_type(op.to));
  return t.in(0) + ".to(" + type + ")";
}

}  // namespace cambium::model::pytorch
