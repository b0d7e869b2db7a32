// Normalizations that exporters write out. Root: the Add of the bias, or the Mul of the scale.
#include <algorithm>

#include "model/onnx/patterns.h"

namespace cambium::model::onnx_io {

namespace {

using Match = std::optional<Replacement>;

// normalized * scale [+ bias], with both possible orders of the operands.
struct Affine {
  Value normalized, scale;
  std::optional<Value> bias;
};

std::vector<Affine> affine_forms(const Matcher& m, const Node& root) {
  std::vector<Affine> forms;
  const auto add_mul = [&](Value product, std::optional<Value> bias) {
    const Node* mul = m.binary(product, BinaryFn::Mul);
    if (mul == nullptr) return;
    forms.push_back({mul->inputs[0], mul->inputs[1], bias});
    forms.push_back({mul->inputs[1], mul->inputs[0], bias});
  };
  const Value out{root.id, 0};
  if (m.binary(out, BinaryFn::Add) != nullptr) {
    add_mul(root.inputs[0], root.inputs[1]);
    add_mul(root.inputs[1], root.inputs[0]);
  } else {
    add_mul(out, std::nullopt);
  }
  return forms;
}

// The mean over the axes from some one to the last, kept: (x, that axis).
struct TrailingMean {
  Value of;
  std::int64_t axis;
};

std::optional<TrailingMean> trailing_mean(const Matcher& m, Value value) {
  const Node* node = m.made_by<Reduce>(value);
  if (node == nullptr) return std::nullopt;
  const Reduce& op = *node->as<Reduce>();
  const std::int64_t rank = m.type(node->inputs[0]).rank();
  if (op.fn != ReduceFn::Mean || !op.keep || op.axes.empty() || op.axes.back() != rank - 1 ||
      op.axes.back() - op.axes.front() + 1 != static_cast<std::int64_t>(op.axes.size())) {
    return std::nullopt;
  }
  return TrailingMean{node->inputs[0], op.axes.front()};
}

struct Normalized {
  Value x;
  std::int64_t axis;
  double epsilon;
};

// x - mean(x): which x, and the axis
std::optional<TrailingMean> centred(const Matcher& m, Value value) {
  const Node* sub = m.binary(value, BinaryFn::Sub);
  if (sub == nullptr) return std::nullopt;
  const auto mean = trailing_mean(m, sub->inputs[1]);
  if (!mean || mean->of != sub->inputs[0]) return std::nullopt;
  return mean;
}

// sqrt(mean((x - mean(x))^2) + epsilon), of the same x and axis: epsilon
std::optional<double> deviation_of(const Matcher& m, Value value, const TrailingMean& of) {
  const Node* sqrt = m.unary(value, UnaryFn::Sqrt);
  const Node* add = sqrt != nullptr ? m.binary(sqrt->inputs[0], BinaryFn::Add) : nullptr;
  if (add == nullptr) return std::nullopt;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const auto epsilon = m.number(add->inputs[i]);
    const auto variance = trailing_mean(m, add->inputs[1 - i]);
    if (!epsilon || !variance || variance->axis != of.axis) continue;
    const Product square = product_of(m, variance->of);
    if (square.constant != 1 || square.factors.size() != 2 ||
        square.factors[0] != square.factors[1]) {
      continue;
    }
    const auto inside = centred(m, square.factors[0]);
    if (inside && inside->of == of.of && inside->axis == of.axis) return epsilon;
  }
  return std::nullopt;
}

std::optional<Normalized> normalized(const Matcher& m, Value value) {
  const Node* div = m.binary(value, BinaryFn::Div);
  if (div == nullptr) return std::nullopt;
  const auto top = centred(m, div->inputs[0]);
  if (!top) return std::nullopt;
  const auto epsilon = deviation_of(m, div->inputs[1], *top);
  if (!epsilon) return std::nullopt;
  return Normalized{top->of, top->axis, *epsilon};
}

Match layer_norm(const Matcher& m, const Node& root) {
  for (const Affine& form : affine_forms(m, root)) {
    const auto inside = normalized(m, form.normalized);
    if (!inside) continue;
    Replacement out{LayerNorm{inside->axis, inside->epsilon}, {{inside->x, {}}, {form.scale, {}}}};
    if (form.bias) out.inputs.push_back({*form.bias, {}});
    return out;
  }
  return std::nullopt;
}

// A value of one entry per channel, laid out to broadcast along axis 1 of `dims`.
bool is_per_channel(const TensorType& type, const Ints& dims) {
  if (type.rank() > static_cast<std::int64_t>(dims.size()) ||
      type.rank() < static_cast<std::int64_t>(dims.size()) - 1) {
    return false;
  }
  Ints wanted(dims.size(), 1);
  wanted[1] = dims[1];
  wanted.erase(wanted.begin(), wanted.end() - type.rank());
  return type.dims == wanted;
}

// Reshape to [N, groups, rest], instance norm without effect of its own scale, reshape back.
Match group_norm(const Matcher& m, const Node& root) {
  for (const Affine& form : affine_forms(m, root)) {
    const Node* back = form.bias ? m.made_by<Reshape>(form.normalized) : nullptr;
    const Node* norm = back != nullptr ? m.made_by<GroupNorm>(back->inputs[0]) : nullptr;
    const Node* view = norm != nullptr ? m.made_by<Reshape>(norm->inputs[0]) : nullptr;
    if (view == nullptr) continue;
    const Value x = view->inputs[0];
    const Ints& dims = m.type(x).dims;
    const Ints& grouped = m.type(norm->inputs[0]).dims;
    const GroupNorm& op = *norm->as<GroupNorm>();
    if (dims.size() < 2 || grouped[0] != dims[0] || op.groups != grouped[1] ||
        dims[1] % op.groups != 0 || back->outputs[0].dims != dims ||
        !m.all_equal(norm->inputs[1], 1) || !m.all_equal(norm->inputs[2], 0) ||
        !is_per_channel(m.type(form.scale), dims) || !is_per_channel(m.type(*form.bias), dims)) {
      continue;
    }
    const Ints channels{dims[1]};
    return Replacement{GroupNorm{op.groups, op.epsilon},
                       {{x, {}}, {form.scale, channels}, {*form.bias, channels}}};
  }
  return std::nullopt;
}

constexpr Pattern kNormPatterns[] = {
    {"layer-norm", layer_norm},
    {"group-norm", group_norm},
};

}  // namespace

std::span<const Pattern> norm_patterns() {
  return kNormPatterns;
}

}  // namespace cambium::model::onnx_io
