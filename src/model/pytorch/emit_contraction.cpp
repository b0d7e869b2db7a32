// Convolutions, matrix products and normalizations as PyTorch code.
#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "model/pytorch/node_text.h"

namespace cambium::model::pytorch {

namespace {

// Pads that are the same at both ends, as PyTorch takes them.
bool is_symmetric(const Ints& pads) {
  return std::equal(pads.begin(), pads.begin() + std::ssize(pads) / 2,
                    pads.begin() + std::ssize(pads) / 2);
}

Ints begin_pads(const Ints& pads) {
  return {pads.begin(), pads.begin() + std::ssize(pads) / 2};
}

// `, stride=2`, nothing where it is what PyTorch takes by itself.
std::string option(const char* name, const Ints& values, std::int64_t usual) {
  return all_equal(values, usual) ? "" : std::string(", ") + name + "=" + one_or_list(values);
}

std::string option(const char* name, std::int64_t value, std::int64_t usual) {
  return value == usual ? "" : std::string(", ") + name + "=" + std::to_string(value);
}

// A vector along the channels, behind which stand the axes of space.
std::string along_channels(const std::string& vector, std::size_t spatial) {
  std::string view = vector + ".reshape(-1";
  for (std::size_t i = 0; i < spatial; ++i) view += ", 1";
  return view + ")";
}

std::string joined_inputs(const NodeText& t) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < t.count(); ++i) parts.push_back(t.in(i));
  return join(parts, ", ");
}

}  // namespace

Text emit(const Input&, NodeText&) {
  report_bug(__FILE__, __LINE__, "inputs are arguments", "input");
}

Text emit(const Weight&, NodeText&) {
  report_bug(__FILE__, __LINE__, "weights are attributes or arguments", "weight");
}

Text emit(const Conv& op, NodeText& t) {
  const std::size_t spatial = op.strides.size();
  if (spatial < 1 || spatial > 3) return t.refusal("more than three axes of space");
  std::string x = t.in(0), padding;
  if (is_symmetric(op.pads)) {
    padding = option("padding", begin_pads(op.pads), 0);
  } else {
    x = t.let("padded", pad_call(x, op.pads, ""));
  }
  return "F.conv" + std::to_string(spatial) + "d(" + x + ", " + t.in(1) +
         (t.count() > 2 ? ", " + t.in(2) : "") + option("stride", op.strides, 1) + padding +
         option("dilation", op.dilations, 1) + option("groups", op.groups, 1) + ")";
}

Text emit(const ConvTranspose& op, NodeText& t) {
  const std::size_t spatial = op.strides.size();
  if (spatial < 1 || spatial > 3) return t.refusal("more than three axes of space");
  const std::string call =
      "F.conv_transpose" + std::to_string(spatial) + "d(" + t.in(0) + ", " + t.in(1);
  const std::string rest = option("stride", op.strides, 1) + option("groups", op.groups, 1) +
                           option("dilation", op.dilations, 1);
  bool fits = is_symmetric(op.pads);
  for (std::size_t i = 0; i < spatial; ++i) {
    fits = fits && op.output_padding[i] < std::max(op.strides[i], op.dilations[i]);
  }
  if (fits) {
    return call + (t.count() > 2 ? ", " + t.in(2) : "") +
           option("padding", begin_pads(op.pads), 0) +
           option("output_padding", op.output_padding, 0) + rest + ")";
  }
  // What PyTorch cannot say is cropped, or extended by zeros, before the bias.
  Ints pads;
  for (std::size_t i = 0; i < 2 * spatial; ++i) {
    pads.push_back(-op.pads[i] + (i < spatial ? 0 : op.output_padding[i - spatial]));
  }
  const std::string whole = t.let("whole", call + rest + ")");
  const std::string cut = pad_call(whole, pads, "");
  return t.count() > 2 ? cut + " + " + along_channels(t.in(2), spatial) : cut;
}

Text emit(const MatMul&, NodeText& t) {
  return "torch.matmul(" + t.in(0) + ", " + t.in(1) + ")";
}

Text emit(const Gemm& op, NodeText& t) {
  const bool has_bias = t.count() > 2;
  if (!op.transpose_a && op.transpose_b && op.alpha == 1 &&
      (!has_bias ||
       (op.beta == 1 && t.type(2).rank() == 1 && t.type(2).dims[0] == t.out().dims[1]))) {
    return "F.linear(" + joined_inputs(t) + ")";
  }
  if (!is_floating(t.out().dtype) && (op.alpha != 1 || (has_bias && op.beta != 1))) {
    return t.refusal("a product of whole numbers that is scaled");
  }
  std::string product =
      t.in(0) + (op.transpose_a ? ".t()" : "") + " @ " + t.in(1) + (op.transpose_b ? ".t()" : "");
  if (op.alpha != 1) product = number(op.alpha) + " * (" + product + ")";
  if (!has_bias) return product;
  return product + " + " + (op.beta == 1 ? "" : number(op.beta) + " * ") + t.in(2);
}

Text emit(const Einsum& op, NodeText& t) {
  return "torch.einsum(\"" + op.equation + "\", " + joined_inputs(t) + ")";
}

Text emit(const BatchNorm& op, NodeText& t) {
  return "F.batch_norm(" + t.in(0) + ", " + t.in(3) + ", " + t.in(4) + ", " + t.in(1) + ", " +
         t.in(2) + ", training=" + (t.in_module() ? "self.training" : "False") +
         ", eps=" + number(op.epsilon) + ")";
}

Text emit(const LayerNorm& op, NodeText& t) {
  const Ints& dims = t.type(0).dims;
  const Ints shape(dims.begin() + op.axis, dims.end());
  const bool has_bias = t.count() > 2;
  if (t.type(1).dims == shape && (!has_bias || t.type(2).dims == shape)) {
    return "F.layer_norm(" + t.in(0) + ", " + list(shape) + ", " + t.in(1) + ", " +
           (has_bias ? t.in(2) : "None") + ", eps=" + number(op.epsilon) + ")";
  }
  return "F.layer_norm(" + t.in(0) + ", " + list(shape) + ", eps=" + number(op.epsilon) + ") * " +
         t.in(1) + (has_bias ? " + " + t.in(2) : "");
}

Text emit(const GroupNorm& op, NodeText& t) {
  return "F.group_norm(" + t.in(0) + ", " + std::to_string(op.groups) + ", " + t.in(1) + ", " +
         t.in(2) + ", eps=" + number(op.epsilon) + ")";
}

Text emit(const Softmax& op, NodeText& t) {
  return "torch.softmax(" + t.in(0) + ", dim=" + std::to_string(op.axis) + ")";
}

Text emit(const LogSoftmax& op, NodeText& t) {
  return "torch.log_softmax(" + t.in(0) + ", dim=" + std::to_string(op.axis) + ")";
}

Text emit(const Composite&, NodeText&) {
  report_bug(__FILE__, __LINE__, "composites are functions of their own", "composite");
}

}  // namespace cambium::model::pytorch
