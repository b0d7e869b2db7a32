// Elementwise operators as ONNX nodes; those that opset 17 lacks as the formulas that
// activation_patterns.cpp recognizes.
#include <array>
#include <cmath>

#include "model/onnx/element_type.h"
#include "model/onnx/node_writer.h"

namespace cambium::model::onnx_io {

namespace {

// In the order of CAMBIUM_FOR_EACH_UNARY; null: composed.
constexpr std::array kUnary = {"Relu",
                               "Sigmoid",
                               "Tanh",
                               "Erf",
                               "Exp",
                               "Log",
                               "Sqrt",
                               "Abs",
                               "Neg",
                               "Reciprocal",
                               "Sign",
                               "Floor",
                               "Ceil",
                               "Round",
                               "Sin",
                               "Cos",
                               "Tan",
                               "Asin",
                               "Acos",
                               "Atan",
                               "Sinh",
                               "Cosh",
                               "Asinh",
                               "Acosh",
                               "Atanh",
                               "Softplus",
                               "Softsign",
                               "HardSwish",
                               static_cast<const char*>(nullptr),  // Mish
                               static_cast<const char*>(nullptr),  // Gelu
                               static_cast<const char*>(nullptr),  // GeluTanh
                               static_cast<const char*>(nullptr),  // Silu
                               "Not",
                               "IsNaN"};
static_assert(kUnary.size() == static_cast<std::size_t>(UnaryFn::IsNan) + 1);

constexpr std::array kBinary = {
    "Add", "Sub", "Mul",   "Div",  "Min",         "Max",     "Pow",
    "Mod", "Mod", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
    "And", "Or",  "Xor"};
static_assert(kBinary.size() == static_cast<std::size_t>(BinaryFn::Xor) + 1);

Status write_gelu(NodeWriter& w) {
  const DType dtype = w.type(0).dtype;
  const std::string& x = w.in(0);
  const std::string scaled = w.helper("Mul", {x, w.scalar(std::sqrt(0.5), dtype, "sqrt_half")});
  const std::string erf = w.helper("Erf", {scaled});
  const std::string gate = w.helper("Add", {erf, w.scalar(1, dtype, "one")});
  const std::string product = w.helper("Mul", {x, gate});
  return w.last_of_several("Mul", {product, w.scalar(0.5, dtype, "half")});
}

Status write_gelu_tanh(NodeWriter& w) {
  const DType dtype = w.type(0).dtype;
  const std::string& x = w.in(0);
  const std::string square = w.helper("Mul", {x, x});
  const std::string cube = w.helper("Mul", {square, x});
  const std::string small = w.helper("Mul", {cube, w.scalar(0.044715, dtype, "cubic")});
  const std::string sum = w.helper("Add", {x, small});
  const double factor = std::sqrt(2 / 3.14159265358979323846);
  const std::string inner = w.helper("Mul", {sum, w.scalar(factor, dtype, "sqrt_two_over_pi")});
  const std::string tanh = w.helper("Tanh", {inner});
  const std::string gate = w.helper("Add", {tanh, w.scalar(1, dtype, "one")});
  const std::string product = w.helper("Mul", {x, gate});
  return w.last_of_several("Mul", {product, w.scalar(0.5, dtype, "half")});
}

}  // namespace

Status write(const Unary& op, NodeWriter& w) {
  switch (op.fn) {
    case UnaryFn::Gelu: return write_gelu(w);
    case UnaryFn::GeluTanh: return write_gelu_tanh(w);
    case UnaryFn::Silu: return w.last_of_several("Mul", {w.in(0), w.helper("Sigmoid", w.inputs())});
    case UnaryFn::Mish:
      return w.last_of_several("Mul",
                               {w.in(0), w.helper("Tanh", {w.helper("Softplus", w.inputs())})});
    default: return w.node(kUnary[static_cast<std::size_t>(op.fn)], w.inputs());
  }
}

Status write(const Activation& op, NodeWriter& w) {
  const DType dtype = w.type(0).dtype;
  const Attribute alpha = attribute("alpha", op.alpha);
  switch (op.fn) {
    case ActivationFn::LeakyRelu: return w.node("LeakyRelu", w.inputs(), {alpha});
    case ActivationFn::Elu: return w.node("Elu", w.inputs(), {alpha});
    case ActivationFn::Celu: return w.node("Celu", w.inputs(), {alpha});
    case ActivationFn::Selu:
      return w.node("Selu", w.inputs(), {alpha, attribute("gamma", op.beta)});
    case ActivationFn::ThresholdedRelu: return w.node("ThresholdedRelu", w.inputs(), {alpha});
    case ActivationFn::HardSigmoid:
      return w.node("HardSigmoid", w.inputs(), {alpha, attribute("beta", op.beta)});
    case ActivationFn::Clip: break;
  }
  // A bound at infinity is left out, but one of the two must be there to say what this is.
  const bool low = std::isfinite(op.alpha) || !std::isfinite(op.beta);
  std::vector<std::string> inputs = {w.in(0), low ? w.scalar(op.alpha, dtype, "min") : ""};
  if (std::isfinite(op.beta)) inputs.push_back(w.scalar(op.beta, dtype, "max"));
  return w.node("Clip", std::move(inputs));
}

Status write(const Binary& op, NodeWriter& w) {
  const char* name = kBinary[static_cast<std::size_t>(op.fn)];
  if (op.fn == BinaryFn::Fmod) return w.node(name, w.inputs(), {attribute("fmod", true)});
  if (op.fn == BinaryFn::Mod && is_floating(w.type(0).dtype)) {
    return not_exportable("a floating modulus with the sign of the divisor");
  }
  return w.node(name, w.inputs());
}

Status write(const Where&, NodeWriter& w) {
  return w.node("Where", w.inputs());
}

Status write(const Cast& op, NodeWriter& w) {
  return w.node("Cast", w.inputs(), {attribute("to", code_of(op.to))});
}

}  // namespace cambium::model::onnx_io
