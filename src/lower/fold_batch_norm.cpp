#include <optional>
#include <utility>
#include <vector>

#include "lower/affine_norm.h"
#include "lower/passes.h"
#include "model/builder.h"

namespace cambium::lower {
namespace {

using namespace model;
Tensor scaled_conv(const Tensor& weight, const Doubles& factor) {
  const std::size_t row = static_cast<std::size_t>(weight.elements()) / factor.size();
  return scaled(weight, factor, [&](std::size_t i) { return i / row; });
}

// w[C, M/groups, kernel...]: input channel c of group g feeds channels g * M/groups onward.
Tensor scaled_transposed_conv(const Tensor& weight, const Doubles& factor, std::int64_t groups) {
  const auto in = static_cast<std::size_t>(weight.dims()[0]);
  const auto out = static_cast<std::size_t>(weight.dims()[1]);
  const std::size_t kernel = static_cast<std::size_t>(weight.elements()) / (in * out);
  const std::size_t in_per_group = in / static_cast<std::size_t>(groups);
  return scaled(weight, factor, [&](std::size_t i) {
    return i / (out * kernel) / in_per_group * out + i / kernel % out;
  });
}

// b[K, N], or b[N, K] when it is transposed.
Tensor scaled_matrix(const Tensor& weight, const Doubles& factor, bool transposed) {
  const auto columns = static_cast<std::size_t>(weight.dims()[1]);
  return scaled(weight, factor,
                [&](std::size_t i) { return transposed ? i / columns : i % columns; });
}

// bias[i] of a result with that many rows and as many columns as there are channels.
Tensor shifted_bias(const Tensor* bias, double beta, const AffineNorm& affine, DType dtype) {
  const std::size_t channels = affine.factor.size();
  std::size_t rows = 1, columns = 1;  // of the bias as it is given, which broadcasts
  if (bias != nullptr && !bias->dims().empty()) {
    columns = static_cast<std::size_t>(bias->dims().back());
    if (bias->dims().size() > 1) rows = static_cast<std::size_t>(bias->dims()[0]);
  }
  const Doubles given = bias != nullptr ? bias->to_doubles() : Doubles{0};
  Doubles elements;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < channels; ++c) {
      elements.push_back(beta * given[r * columns + (columns > 1 ? c : 0)] * affine.factor[c] +
                         affine.shift[c]);
    }
  }
  Ints dims{static_cast<std::int64_t>(channels)};
  if (rows > 1) dims.insert(dims.begin(), static_cast<std::int64_t>(rows));
  return tensor_of({dtype, dims}, elements);
}

// The contraction with the norm folded in; an invalid value where that cannot be.
Value folded(Builder& builder, const Node& node, const AffineNorm& affine) {
  const Tensor* weight = node.inputs.size() > 1 ? builder.weight_of(node.inputs[1]) : nullptr;
  const Tensor* bias = node.inputs.size() > 2 ? builder.weight_of(node.inputs[2]) : nullptr;
  if (weight == nullptr || (node.inputs.size() > 2 && bias == nullptr)) return {};
  Op op = node.op;
  std::optional<Tensor> scaled_weight;
  double beta = 1;
  if (node.as<Conv>() != nullptr) {
    scaled_weight = scaled_conv(*weight, affine.factor);
  } else if (const auto* transposed = node.as<ConvTranspose>()) {
    scaled_weight = scaled_transposed_conv(*weight, affine.factor, transposed->groups);
  } else if (const auto* gemm = node.as<Gemm>()) {
    beta = gemm->beta;
    scaled_weight = scaled_matrix(*weight, affine.factor, gemm->transpose_b);
    op = Gemm{gemm->alpha, 1, gemm->transpose_a, gemm->transpose_b};
  } else if (node.as<MatMul>() != nullptr && node.outputs[0].rank() == 2 &&
             weight->type().rank() == 2 && builder.type(node.inputs[0]).rank() == 2) {
    scaled_weight = scaled_matrix(*weight, affine.factor, false);
    op = Gemm{};
  } else {
    return {};
  }
  Tensor shifted = shifted_bias(bias, beta, affine, weight->dtype());
  const Value w = builder.weight(node.name + ".folded_weight", std::move(*scaled_weight));
  const Value b = builder.weight(node.name + ".folded_bias", std::move(shifted));
  return builder.add(std::move(op), {node.inputs[0], w, b}, node.name);
}

}  // namespace

Result<Model> fold_batch_norm(const Model& model) {
  Builder builder(model);
  const Uses uses(model);
  for (const NodePtr& original : model.nodes()) {
    const Node norm = builder.node(original->id);
    if (norm.as<BatchNorm>() == nullptr) continue;
    // A fresh contraction is not in `uses`: two norms in a row fold one by one, the second over
    // the uses of the first.
    const Value before = original->inputs[0];
    if (uses.of(before).size() != 1) continue;
    const std::optional<AffineNorm> affine = affine_of(builder, norm);
    if (!affine) continue;
    const Value fresh = folded(builder, builder.node(norm.inputs[0].node), *affine);
    if (fresh.valid()) builder.replace({norm.id, 0}, fresh);
  }
  return std::move(builder).finish();
}

}  // namespace cambium::lower
