// Activation functions; those with parameters carry them as attributes.
#include <cmath>
#include <limits>
#include <string_view>

#include "model/onnx/decimal.h"
#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <UnaryFn kFn>
Status plain(NodeContext& n) {
  return n.give(Unary{kFn}, {n.in(0)});
}

Status activation(NodeContext& n, ActivationFn fn, double alpha, const char* beta_name = nullptr,
                  double beta = 0) {
  CAMBIUM_TRY(alpha, n.number_or("alpha", alpha));
  if (beta_name != nullptr) {
    CAMBIUM_TRY(beta, n.number_or(beta_name, beta));
  }
  return n.give(Activation{fn, alpha, beta}, {n.in(0)});
}

Status leaky_relu(NodeContext& n) {
  return activation(n, ActivationFn::LeakyRelu, 0.01);
}
Status elu(NodeContext& n) {
  return activation(n, ActivationFn::Elu, 1);
}
Status celu(NodeContext& n) {
  return activation(n, ActivationFn::Celu, 1);
}
Status selu(NodeContext& n) {
  return activation(n, ActivationFn::Selu, 1.6732632, "gamma", 1.0507010);
}
Status hard_sigmoid(NodeContext& n) {
  return activation(n, ActivationFn::HardSigmoid, 0.2, "beta", 0.5);
}

// Compares with its parameter, so the exact float counts and not what a person would have written.
Status thresholded_relu(NodeContext& n) {
  double alpha = 1;
  if (const AttributeValue* value = n.raw("alpha")) {
    const float* held = std::get_if<float>(value);
    if (held == nullptr) return bad_attribute("alpha", "is not a number");
    alpha = *held;
  }
  return n.give(Activation{ActivationFn::ThresholdedRelu, alpha, 0}, {n.in(0)});
}

Status gelu(NodeContext& n) {
  CAMBIUM_TRY(const std::string text, n.text_or("approximate", "none"));
  const std::string_view approximate = text;
  if (approximate == "none") return n.give(Unary{UnaryFn::Gelu}, {n.in(0)});
  if (approximate == "tanh") return n.give(Unary{UnaryFn::GeluTanh}, {n.in(0)});
  return bad_attribute("approximate", "'" + text + "' is not known");
}

// A bound that is known; a float as the decimal that stands for it.
double bound_of(const Tensor& tensor) {
  return tensor.dtype() == DType::F32 ? decimal_of(tensor.as<float>()[0]) : tensor.to_doubles()[0];
}

// Exact as a double: then it can be an attribute.
bool is_exact(const Tensor& tensor) {
  if (tensor.elements() != 1 || tensor.type().rank() > 1) return false;
  return is_floating(tensor.dtype()) || std::fabs(tensor.to_doubles()[0]) < 0x1p53;
}

Status clip(NodeContext& n) {
  const Tensor* low = n.has(1) ? n.tensor(1) : nullptr;
  const Tensor* high = n.has(2) ? n.tensor(2) : nullptr;
  const DType dtype = n.type(0).dtype;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (!n.has(i)) continue;
    if (n.type(i).dtype != dtype || n.type(i).elements() != 1) {
      return bad_shape("bound", n.type(i).text() + " is not one number of the type of the input");
    }
  }
  const bool attributes = (!n.has(1) || (low != nullptr && is_exact(*low))) &&
                          (!n.has(2) || (high != nullptr && is_exact(*high)));
  if (attributes) {
    if (!n.has(1) && !n.has(2)) return n.set(0, n.in(0)), Ok{};
    return n.give(Activation{ActivationFn::Clip, low != nullptr ? bound_of(*low) : -kInfinity,
                             high != nullptr ? bound_of(*high) : kInfinity},
                  {n.in(0)});
  }
  if (!n.has(2)) return n.give(Binary{BinaryFn::Max}, {n.in(0), n.in(1)});
  Operand x = n.in(0);
  if (n.has(1)) {
    CAMBIUM_TRY(x, n.emit(Binary{BinaryFn::Max}, {x, n.in(1)}));
  }
  return n.give(Binary{BinaryFn::Min}, {x, n.in(2)});
}

Status clip_of_opset_6(NodeContext& n) {
  CAMBIUM_TRY(const double low, n.number_or("min", -kInfinity));
  CAMBIUM_TRY(const double high, n.number_or("max", kInfinity));
  return n.give(Activation{ActivationFn::Clip, low, high}, {n.in(0)});
}

// x < 0 ? slope x : x, with a slope that is a weight.
Status prelu(NodeContext& n) {
  const DType dtype = n.type(0).dtype;
  Operand slope = n.in(1);
  // Before opset 7 a slope of one entry per channel stood for the second axis.
  if (n.opset() < 7 && n.type(1).rank() == 1 && n.type(0).rank() > 2 && n.type(1).dims[0] > 1) {
    Ints dims(static_cast<std::size_t>(n.type(0).rank() - 1), 1);
    dims[0] = n.type(1).dims[0];
    CAMBIUM_TRY(slope, n.emit(Reshape{dims}, {slope}));
  }
  CAMBIUM_TRY(const Operand negative,
              n.emit(Binary{BinaryFn::Less}, {n.in(0), n.scalar(dtype, 0)}));
  CAMBIUM_TRY(const Operand scaled, n.emit(Binary{BinaryFn::Mul}, {n.in(0), slope}));
  return n.give(Where{}, {negative, scaled, n.in(0)});
}

// x < -lambd ? x + bias : x > lambd ? x - bias : 0
Status shrink(NodeContext& n) {
  CAMBIUM_TRY(const double lambd, n.number_or("lambd", 0.5));
  CAMBIUM_TRY(const double bias, n.number_or("bias", 0));
  const DType dtype = n.type(0).dtype;
  const Operand x = n.in(0), by = n.scalar(dtype, bias);
  CAMBIUM_TRY(const Operand low, n.emit(Binary{BinaryFn::Less}, {x, n.scalar(dtype, -lambd)}));
  CAMBIUM_TRY(const Operand high, n.emit(Binary{BinaryFn::Greater}, {x, n.scalar(dtype, lambd)}));
  CAMBIUM_TRY(const Operand raised, n.emit(Binary{BinaryFn::Add}, {x, by}));
  CAMBIUM_TRY(const Operand lowered, n.emit(Binary{BinaryFn::Sub}, {x, by}));
  CAMBIUM_TRY(const Operand above, n.emit(Where{}, {high, lowered, n.scalar(dtype, 0)}));
  return n.give(Where{}, {low, raised, above});
}

// clang-format off
constexpr Row kActivationRows[] = {
    {"Relu", 6, kAny, 1, 1, plain<UnaryFn::Relu>},
    {"Sigmoid", 6, kAny, 1, 1, plain<UnaryFn::Sigmoid>},
    {"Tanh", 6, kAny, 1, 1, plain<UnaryFn::Tanh>},
    {"Softplus", 1, kAny, 1, 1, plain<UnaryFn::Softplus>},
    {"Softsign", 1, kAny, 1, 1, plain<UnaryFn::Softsign>},
    {"HardSwish", 14, kAny, 1, 1, plain<UnaryFn::HardSwish>},
    {"Mish", 18, kAny, 1, 1, plain<UnaryFn::Mish>},
    {"Gelu", 20, kAny, 1, 1, gelu},
    {"LeakyRelu", 6, kAny, 1, 1, leaky_relu},
    {"Elu", 6, kAny, 1, 1, elu},
    {"Celu", 12, kAny, 1, 1, celu},
    {"Selu", 6, kAny, 1, 1, selu},
    {"HardSigmoid", 6, kAny, 1, 1, hard_sigmoid},
    {"ThresholdedRelu", 10, kAny, 1, 1, thresholded_relu},
    {"Clip", 6, 10, 1, 1, clip_of_opset_6},
    {"Clip", 11, kAny, 1, 3, clip},
    {"PRelu", 6, kAny, 2, 2, prelu},
    {"Shrink", 9, kAny, 1, 1, shrink},
};
// clang-format on

}  // namespace

std::span<const Row> activation_rows() {
  return kActivationRows;
}

}  // namespace cambium::model::onnx_io
