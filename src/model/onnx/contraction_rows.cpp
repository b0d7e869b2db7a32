// Convolutions and matrix products.
#include <algorithm>

#include <fmt/core.h>

#include "model/onnx/einsum_form.h"
#include "model/onnx/rows.h"
#include "model/onnx/window.h"

namespace cambium::model::onnx_io {

namespace {

// The spatial size of the weight, which the optional attribute must repeat.
Result<Ints> kernel_of(NodeContext& n) {
  const TensorType& x = n.type(0);
  const TensorType& w = n.type(1);
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return bad_shape("inputs", x.text() + " and " + w.text() + " do not fit in a convolution");
  }
  Ints kernel(w.dims.begin() + 2, w.dims.end());
  CAMBIUM_TRY(const Ints stated, n.ints_or("kernel_shape", kernel));
  if (stated != kernel) return bad_attribute("kernel_shape", "differs from the weight " + w.text());
  return kernel;
}

std::vector<Operand> all_inputs(const NodeContext& n) {
  std::vector<Operand> inputs;
  for (std::size_t i = 0; i < n.count(); ++i) inputs.push_back(n.in(i));
  return inputs;
}

Status conv(NodeContext& n) {
  CAMBIUM_TRY(const Ints kernel, kernel_of(n));
  CAMBIUM_TRY(const Window window, read_window(n, n.type(0), kernel));
  CAMBIUM_TRY(const std::int64_t groups, n.int_or("group", 1));
  return n.give(Conv{window.strides, window.pads, window.dilations, groups}, all_inputs(n));
}

// Pads that make the output as large as asked for; what pads cannot give comes from the end.
Status pads_for_output(const Ints& wanted, bool upper, const Ints& kernel, const TensorType& x,
                       ConvTranspose& op) {
  const std::size_t spatial = kernel.size();
  CAMBIUM_REQUIRE(check_list("output_shape", wanted, spatial, 0));
  for (std::size_t i = 0; i < spatial; ++i) {
    if (x.dims[i + 2] > (std::int64_t{1} << 30))
      return bad_shape("input", x.text() + " is too large");
    const std::int64_t total = (x.dims[i + 2] - 1) * op.strides[i] + op.output_padding[i] +
                               (kernel[i] - 1) * op.dilations[i] + 1 - wanted[i];
    if (total < 0) op.output_padding[i] -= total;
    split_padding(std::max<std::int64_t>(total, 0), upper, op.pads[i], op.pads[i + spatial]);
  }
  return Ok{};
}

Status conv_transpose(NodeContext& n) {
  CAMBIUM_TRY(const Ints kernel, kernel_of(n));
  const TensorType& x = n.type(0);
  const std::size_t spatial = kernel.size();
  CAMBIUM_TRY(const std::string mode, n.text_or("auto_pad", "NOTSET"));
  CAMBIUM_TRY(const Window window, read_window(n, x, kernel));
  CAMBIUM_TRY(const Ints output_padding, n.ints_or("output_padding", Ints(spatial, 0)));
  CAMBIUM_REQUIRE(check_list("output_padding", output_padding, spatial, 0));
  CAMBIUM_TRY(const std::int64_t groups, n.int_or("group", 1));
  CAMBIUM_TRY(std::optional<Ints> wanted, n.maybe_ints("output_shape"));
  ConvTranspose op{window.strides, window.pads, window.dilations, output_padding, groups};
  if (!wanted && (mode == "SAME_UPPER" || mode == "SAME_LOWER")) {
    wanted.emplace();
    for (std::size_t i = 0; i < spatial; ++i) {
      wanted->push_back(std::min(x.dims[i + 2], std::int64_t{1} << 31) * op.strides[i]);
    }
  }
  // Some exporters state the whole shape of the output, batch and channels included.
  if (wanted && wanted->size() == spatial + 2) wanted->erase(wanted->begin(), wanted->begin() + 2);
  if (wanted) CAMBIUM_REQUIRE(pads_for_output(*wanted, mode == "SAME_UPPER", kernel, x, op));
  return n.give(op, all_inputs(n));
}

Status matmul(NodeContext& n) {
  return n.give(MatMul{}, {n.in(0), n.in(1)});
}

Status gemm(NodeContext& n) {
  Gemm op;
  CAMBIUM_TRY(op.alpha, n.number_or("alpha", 1));
  CAMBIUM_TRY(op.beta, n.number_or("beta", 1));
  CAMBIUM_TRY(op.transpose_a, n.flag_or("transA", false));
  CAMBIUM_TRY(op.transpose_b, n.flag_or("transB", false));
  if (n.opset() < 7) n.ignore("broadcast");  // the shapes say the same
  return n.give(op, all_inputs(n));
}

Status einsum(NodeContext& n) {
  CAMBIUM_TRY(const std::string equation, n.text_or("equation", ""));
  std::vector<TensorType> types;
  for (std::size_t i = 0; i < n.count(); ++i) types.push_back(n.type(i));
  CAMBIUM_TRY(std::string explicit_form, explicit_einsum(equation, types));
  return n.give(Einsum{std::move(explicit_form)}, all_inputs(n));
}

constexpr Row kContractionRows[] = {
    {"Conv", 1, kAny, 2, 3, conv},         {"ConvTranspose", 1, kAny, 2, 3, conv_transpose},
    {"MatMul", 1, kAny, 2, 2, matmul},     {"Gemm", 6, kAny, 2, 3, gemm},
    {"Einsum", 12, kAny, 1, kAny, einsum},
};

}  // namespace

std::span<const Row> contraction_rows() {
  return kContractionRows;
}

}  // namespace cambium::model::onnx_io
