// Activations that exporters write as products. Root: the outermost Mul or Div.
#include <algorithm>
#include <cmath>

#include "model/onnx/patterns.h"

namespace cambium::model::onnx_io {

namespace {

using Match = std::optional<Replacement>;

constexpr double kSqrtHalf = 0.70710678118654752;
constexpr double kSqrtTwoOverPi = 0.79788456080286536;
constexpr double kCubic = 0.044715;

// The root as constant * x * gate, for each choice of which factor is x. `gate_of` says whether
// the other one is the right function of x.
template <class F>
Match gated(const Matcher& m, const Node& root, double constant, UnaryFn becomes, F&& gate_of) {
  const Value out{root.id, 0};
  if (m.binary(out, BinaryFn::Mul) == nullptr && m.binary(out, BinaryFn::Div) == nullptr) {
    return std::nullopt;
  }
  const Product product = product_of(m, out);
  if (product.factors.size() != 2 || !m.near(product.constant, constant, out)) return std::nullopt;
  for (const int i : {0, 1}) {
    const Value x = product.factors[static_cast<std::size_t>(i)];
    const Value gate = product.factors[static_cast<std::size_t>(1 - i)];
    if (gate_of(x, gate)) return Replacement{Unary{becomes}, {{x, {}}}};
  }
  return std::nullopt;
}

Match gelu(const Matcher& m, const Node& root) {
  return gated(m, root, 0.5, UnaryFn::Gelu, [&](Value x, Value gate) {
    const auto inner = m.plus_number(gate, 1);
    const Node* erf = inner ? m.unary(*inner, UnaryFn::Erf) : nullptr;
    if (erf == nullptr) return false;
    const Product scaled = product_of(m, erf->inputs[0]);
    return scaled.factors == std::vector<Value>{x} && m.near(scaled.constant, kSqrtHalf, x);
  });
}

// c x^power
bool is_power(const Matcher& m, Value value, Value x, std::size_t power, double c) {
  const Product product = product_of(m, value);
  return product.factors == std::vector<Value>(power, x) && m.near(product.constant, c, x);
}

// sqrt(2 / pi) (x + 0.044715 x^3), also with x taken out of the bracket
bool is_gelu_argument(const Matcher& m, Value value, Value x) {
  const Product product = product_of(m, value);
  if (!m.near(product.constant, kSqrtTwoOverPi, x)) return false;
  if (product.factors.size() == 1) {
    const Node* sum = m.binary(product.factors[0], BinaryFn::Add);
    const auto cubic = sum != nullptr ? m.other(*sum, x) : std::nullopt;
    return cubic && is_power(m, *cubic, x, 3, kCubic);
  }
  if (product.factors.size() != 2) return false;
  const auto at = std::find(product.factors.begin(), product.factors.end(), x);
  if (at == product.factors.end()) return false;
  const auto square = m.plus_number(product.factors[at == product.factors.begin() ? 1 : 0], 1);
  return square && is_power(m, *square, x, 2, kCubic);
}

Match gelu_tanh(const Matcher& m, const Node& root) {
  return gated(m, root, 0.5, UnaryFn::GeluTanh, [&](Value x, Value gate) {
    const auto inner = m.plus_number(gate, 1);
    const Node* tanh = inner ? m.unary(*inner, UnaryFn::Tanh) : nullptr;
    return tanh != nullptr && is_gelu_argument(m, tanh->inputs[0], x);
  });
}

Match silu(const Matcher& m, const Node& root) {
  return gated(m, root, 1, UnaryFn::Silu, [&](Value x, Value gate) {
    const Node* sigmoid = m.unary(gate, UnaryFn::Sigmoid);
    return sigmoid != nullptr && sigmoid->inputs[0] == x;
  });
}

Match mish(const Matcher& m, const Node& root) {
  return gated(m, root, 1, UnaryFn::Mish, [&](Value x, Value gate) {
    const Node* tanh = m.unary(gate, UnaryFn::Tanh);
    const Node* softplus = tanh != nullptr ? m.unary(tanh->inputs[0], UnaryFn::Softplus) : nullptr;
    return softplus != nullptr && softplus->inputs[0] == x;
  });
}

Match hard_swish(const Matcher& m, const Node& root) {
  return gated(m, root, 1, UnaryFn::HardSwish, [&](Value x, Value gate) {
    const Node* node = m.made_by<Activation>(gate);
    if (node == nullptr || node->inputs[0] != x) return false;
    const auto& op = *node->as<Activation>();
    return op.fn == ActivationFn::HardSigmoid && m.near(op.alpha, 1.0 / 6, x) &&
           m.near(op.beta, 0.5, x);
  });
}

// x clip(x + 3, 0, 6) / 6, as PyTorch writes it before opset 14
Match hard_swish_by_clip(const Matcher& m, const Node& root) {
  return gated(m, root, 1.0 / 6, UnaryFn::HardSwish, [&](Value x, Value gate) {
    const Node* node = m.made_by<Activation>(gate);
    if (node == nullptr) return false;
    const auto& op = *node->as<Activation>();
    const auto inner = m.plus_number(node->inputs[0], 3);
    return op.fn == ActivationFn::Clip && op.alpha == 0 && op.beta == 6 && inner == x;
  });
}

constexpr Pattern kPatterns[] = {
    {"gelu", gelu}, {"gelu-tanh", gelu_tanh},   {"silu", silu},
    {"mish", mish}, {"hard-swish", hard_swish}, {"hard-swish-by-clip", hard_swish_by_clip},
};

}  // namespace

std::span<const Pattern> activation_patterns() {
  return kPatterns;
}

}  // namespace cambium::model::onnx_io
