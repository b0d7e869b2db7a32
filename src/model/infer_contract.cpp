// Types of the contractions: convolutions, matrix products, Einsum.
#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "model/einsum.h"
#include "model/infer.h"
#include "model/infer_rules.h"

namespace cambium::model::infer_rules {

namespace {

Status require_spatial(const Ints& strides, const Ints& pads, const Ints& dilations,
                       std::int64_t spatial) {
  CAMBIUM_REQUIRE(require_each("strides", strides, spatial, 1));
  CAMBIUM_REQUIRE(require_each("pads", pads, 2 * spatial, 0));
  return require_each("dilations", dilations, spatial, 1);
}

// What both convolutions ask of x, w, bias and groups. `shared` is the axis of w that is counted
// per group against the channels of x, `out_channels` the number of channels of the result.
Status require_channels(Types inputs, std::int64_t groups, std::int64_t shared_channels,
                        std::int64_t out_channels) {
  const TensorType& x = inputs[0];
  const std::int64_t channels = x.dims[1];
  if (groups < 1) return bad_attribute("groups", fmt::format("{} is less than 1", groups));
  if (channels % groups != 0) {
    return bad_attribute("groups", fmt::format("{} does not divide {} channels", groups, channels));
  }
  if (out_channels % groups != 0) {
    return bad_attribute("groups",
                         fmt::format("{} does not divide {} filters", groups, out_channels));
  }
  if (shared_channels != channels) {
    return bad_shape("weight", fmt::format("{} with {} groups does not match {}", inputs[1].text(),
                                           groups, x.text()));
  }
  if (inputs.size() == 3) return require_dims("bias", inputs[2], {out_channels});
  return Ok{};
}

Status require_operands(Types inputs) {
  CAMBIUM_REQUIRE(require_floating("input", inputs[0]));
  CAMBIUM_REQUIRE(require_same_dtype(inputs));
  CAMBIUM_REQUIRE(require_rank("input", inputs[0], 3, kMaxRank));
  CAMBIUM_REQUIRE(require_rank("weight", inputs[1], inputs[0].rank(), inputs[0].rank()));
  const Ints& w = inputs[1].dims;
  if (std::any_of(w.begin() + 2, w.end(), [](std::int64_t k) { return k < 1; })) {
    return bad_shape("weight", fmt::format("{} has an empty kernel", inputs[1].text()));
  }
  return Ok{};
}

}  // namespace

Inferred rule(const Conv& op, Types inputs) {
  CAMBIUM_REQUIRE(require_operands(inputs));
  const TensorType& x = inputs[0];
  const Ints& w = inputs[1].dims;
  const std::int64_t spatial = x.rank() - 2;
  CAMBIUM_REQUIRE(require_spatial(op.strides, op.pads, op.dilations, spatial));
  CAMBIUM_TRY(const std::int64_t shared, narrowed(Wide{w[1]} * op.groups));
  CAMBIUM_REQUIRE(require_channels(inputs, op.groups, shared, w[0]));
  TensorType out{x.dtype, {x.dims[0], w[0]}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(spatial); ++i) {
    const Wide kernel = Wide{w[i + 2] - 1} * op.dilations[i] + 1;
    const Wide padded =
        Wide{x.dims[i + 2]} + op.pads[i] + op.pads[i + static_cast<std::size_t>(spatial)];
    if (kernel > padded) {
      return bad_shape("input", fmt::format("axis {} of {} is smaller than the dilated kernel of "
                                            "{}, padding included",
                                            i + 2, x.text(), inputs[1].text()));
    }
    CAMBIUM_TRY(const std::int64_t size, narrowed((padded - kernel) / op.strides[i] + 1));
    out.dims.push_back(size);
  }
  return std::vector<TensorType>{std::move(out)};
}

Inferred rule(const ConvTranspose& op, Types inputs) {
  CAMBIUM_REQUIRE(require_operands(inputs));
  const TensorType& x = inputs[0];
  const Ints& w = inputs[1].dims;
  const std::int64_t spatial = x.rank() - 2;
  CAMBIUM_REQUIRE(require_spatial(op.strides, op.pads, op.dilations, spatial));
  CAMBIUM_REQUIRE(require_each("output_padding", op.output_padding, spatial, 0));
  CAMBIUM_TRY(const std::int64_t filters, narrowed(Wide{w[1]} * op.groups));
  CAMBIUM_REQUIRE(require_channels(inputs, op.groups, w[0], filters));
  TensorType out{x.dtype, {x.dims[0], filters}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(spatial); ++i) {
    const Wide kernel = Wide{w[i + 2] - 1} * op.dilations[i] + 1;
    const Wide padding = Wide{op.pads[i]} + op.pads[i + static_cast<std::size_t>(spatial)];
    const Wide full = Wide{x.dims[i + 2] - 1} * op.strides[i] + kernel + op.output_padding[i];
    if (x.dims[i + 2] < 1 || full <= padding) {
      return bad_shape("input", fmt::format("axis {} of {} is empty after the pads are removed",
                                            i + 2, x.text()));
    }
    CAMBIUM_TRY(const std::int64_t size, narrowed(full - padding));
    out.dims.push_back(size);
  }
  return std::vector<TensorType>{std::move(out)};
}

Inferred rule(const MatMul&, Types inputs) {
  CAMBIUM_REQUIRE(require_number("input 0", inputs[0]));
  CAMBIUM_REQUIRE(require_same_dtype(inputs));
  CAMBIUM_REQUIRE(require_rank("input 0", inputs[0], 1, kMaxRank));
  CAMBIUM_REQUIRE(require_rank("input 1", inputs[1], 1, kMaxRank));
  Ints a = inputs[0].dims, b = inputs[1].dims;
  const bool vector_a = a.size() == 1, vector_b = b.size() == 1;
  if (vector_a) a.insert(a.begin(), 1);
  if (vector_b) b.push_back(1);
  if (a.back() != b[b.size() - 2]) {
    return bad_shape("inputs", fmt::format("{} and {} cannot be multiplied", inputs[0].text(),
                                           inputs[1].text()));
  }
  CAMBIUM_TRY(Ints dims, broadcast(Ints(a.begin(), a.end() - 2), Ints(b.begin(), b.end() - 2)));
  if (!vector_a) dims.push_back(a[a.size() - 2]);
  if (!vector_b) dims.push_back(b.back());
  return std::vector<TensorType>{{inputs[0].dtype, std::move(dims)}};
}

Inferred rule(const Gemm& op, Types inputs) {
  CAMBIUM_REQUIRE(require_number("input 0", inputs[0]));
  CAMBIUM_REQUIRE(require_same_dtype(inputs));
  CAMBIUM_REQUIRE(require_rank("input 0", inputs[0], 2, 2));
  CAMBIUM_REQUIRE(require_rank("input 1", inputs[1], 2, 2));
  Ints a = inputs[0].dims, b = inputs[1].dims;
  if (op.transpose_a) std::swap(a[0], a[1]);
  if (op.transpose_b) std::swap(b[0], b[1]);
  if (a[1] != b[0]) {
    return bad_shape("inputs", fmt::format("{}{} and {}{} cannot be multiplied", inputs[0].text(),
                                           op.transpose_a ? " transposed" : "", inputs[1].text(),
                                           op.transpose_b ? " transposed" : ""));
  }
  TensorType out{inputs[0].dtype, {a[0], b[1]}};
  if (inputs.size() == 3 && !broadcasts_to(inputs[2].dims, out.dims)) {
    return bad_shape("input 2",
                     fmt::format("{} does not broadcast to {}", inputs[2].text(), out.text()));
  }
  return std::vector<TensorType>{std::move(out)};
}

Inferred rule(const Einsum& op, Types inputs) {
  CAMBIUM_TRY(const EinsumEquation equation, parse_einsum(op.equation));
  if (equation.inputs.size() != inputs.size()) {
    return bad_attribute(
        "equation", fmt::format("names {} inputs, has {}", equation.inputs.size(), inputs.size()));
  }
  CAMBIUM_REQUIRE(require_number("input 0", inputs[0]));
  CAMBIUM_REQUIRE(require_same_dtype(inputs));
  std::array<std::int64_t, 128> sizes;
  sizes.fill(-1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& letters = equation.inputs[i];
    const auto rank = static_cast<std::int64_t>(letters.size());
    CAMBIUM_REQUIRE(require_rank(fmt::format("input {}", i), inputs[i], rank, rank));
    for (std::size_t axis = 0; axis < letters.size(); ++axis) {
      std::int64_t& size = sizes[static_cast<std::size_t>(letters[axis])];
      if (size < 0) size = inputs[i].dims[axis];
      if (size != inputs[i].dims[axis]) {
        return bad_shape("equation", fmt::format("axis '{}' is both {} and {}", letters[axis], size,
                                                 inputs[i].dims[axis]));
      }
    }
  }
  TensorType out{inputs[0].dtype, {}};
  for (const char letter : equation.output) {
    out.dims.push_back(sizes[static_cast<std::size_t>(letter)]);
  }
  return std::vector<TensorType>{std::move(out)};
}

}  // namespace cambium::model::infer_rules
