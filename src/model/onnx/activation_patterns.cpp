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

// The root as constant * x * gate. `arguments_of` says of which x a factor may be the gate.
template <class F>
Match gated(const Matcher& m, const Node& root, double constant, UnaryFn becomes,
            F&& arguments_of) {
  const Value out{root.id, 0};
  if (m.binary(out, BinaryFn::Mul) == nullptr && m.binary(out, BinaryFn::Div) == nullptr) {
    return std::nullopt;
  }
  for (const Value gate : product_of(m, out).factors) {
    for (const Value x : arguments_of(gate)) {
      // x may be a product as well; then its factors belong together.
      const Product product = product_of(m, out, x);
      if (product.factors.size() == 2 && m.near(product.constant, constant, out) &&
          ((product.factors[0] == x && product.factors[1] == gate) ||
           (product.factors[1] == x && product.factors[0] == gate))) {
        return Replacement{Unary{becomes}, {{x, {}}}};
      }
    }
  }
  return std::nullopt;
}

std::vector<Value> no_arguments() {
  return {};
}

Match gelu(const Matcher& m, const Node& root) {
  return gated(m, root, 0.5, UnaryFn::Gelu, [&](Value gate) {
    const auto inner = m.plus_number(gate, 1);
    const Node* erf = inner ? m.unary(*inner, UnaryFn::Erf) : nullptr;
    if (erf == nullptr) return no_arguments();
    const Value scaled = erf->inputs[0];
    const Node* node = m.made_by<Binary>(scaled);
    if (node == nullptr) return no_arguments();
    std::vector<Value> arguments;
    for (const Value x : node->inputs) {
      const Product product = product_of(m, scaled, x);
      if (product.factors == std::vector<Value>{x} && m.near(product.constant, kSqrtHalf, x)) {
        arguments.push_back(x);
      }
    }
    return arguments;
  });
}

// c x^power
bool is_power(const Matcher& m, Value value, Value x, std::size_t power, double c) {
  const Product product = product_of(m, value, x);
  return product.factors == std::vector<Value>(power, x) && m.near(product.constant, c, x);
}

// sqrt(2 / pi) (x + 0.044715 x^3), also with x taken out of the bracket: x
std::vector<Value> gelu_arguments(const Matcher& m, Value value) {
  const Product product = product_of(m, value);
  if (!m.near(product.constant, kSqrtTwoOverPi, value)) return {};
  std::vector<Value> arguments;
  if (product.factors.size() == 1) {
    const Node* sum = m.binary(product.factors[0], BinaryFn::Add);
    if (sum == nullptr) return {};
    for (const int i : {0, 1}) {
      const Value x = sum->inputs[static_cast<std::size_t>(i)];
      if (is_power(m, sum->inputs[static_cast<std::size_t>(1 - i)], x, 3, kCubic)) {
        arguments.push_back(x);
      }
    }
  } else if (product.factors.size() == 2) {
    for (const int i : {0, 1}) {
      const Value x = product.factors[static_cast<std::size_t>(i)];
      const auto square = m.plus_number(product.factors[static_cast<std::size_t>(1 - i)], 1);
      if (square && is_power(m, *square, x, 2, kCubic)) arguments.push_back(x);
    }
  }
  return arguments;
}

Match gelu_tanh(const Matcher& m, const Node& root) {
  return gated(m, root, 0.5, UnaryFn::GeluTanh, [&](Value gate) {
    const auto inner = m.plus_number(gate, 1);
    const Node* tanh = inner ? m.unary(*inner, UnaryFn::Tanh) : nullptr;
    return tanh != nullptr ? gelu_arguments(m, tanh->inputs[0]) : no_arguments();
  });
}

Match silu(const Matcher& m, const Node& root) {
  return gated(m, root, 1, UnaryFn::Silu, [&](Value gate) {
    const Node* sigmoid = m.unary(gate, UnaryFn::Sigmoid);
    return sigmoid != nullptr ? sigmoid->inputs : no_arguments();
  });
}

Match mish(const Matcher& m, const Node& root) {
  return gated(m, root, 1, UnaryFn::Mish, [&](Value gate) {
    const Node* tanh = m.unary(gate, UnaryFn::Tanh);
    const Node* softplus = tanh != nullptr ? m.unary(tanh->inputs[0], UnaryFn::Softplus) : nullptr;
    return softplus != nullptr ? softplus->inputs : no_arguments();
  });
}

Match hard_swish(const Matcher& m, const Node& root) {
  return gated(m, root, 1, UnaryFn::HardSwish, [&](Value gate) {
    const Node* node = m.made_by<Activation>(gate);
    if (node == nullptr) return no_arguments();
    const auto& op = *node->as<Activation>();
    const bool fits = op.fn == ActivationFn::HardSigmoid && m.near(op.alpha, 1.0 / 6, gate) &&
                      m.near(op.beta, 0.5, gate);
    return fits ? node->inputs : no_arguments();
  });
}

// x clip(x + 3, 0, 6) / 6, as PyTorch writes it before opset 14
Match hard_swish_by_clip(const Matcher& m, const Node& root) {
  return gated(m, root, 1.0 / 6, UnaryFn::HardSwish, [&](Value gate) {
    const Node* node = m.made_by<Activation>(gate);
    if (node == nullptr) return no_arguments();
    const auto& op = *node->as<Activation>();
    const auto inner = m.plus_number(node->inputs[0], 3);
    const bool fits = op.fn == ActivationFn::Clip && op.alpha == 0 && op.beta == 6 && inner;
    return fits ? std::vector<Value>{*inner} : no_arguments();
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
