// Convolutions, matrix products, normalizations, pools and reductions as ONNX nodes.
#include <algorithm>

#include "base/check.h"
#include "model/onnx/node_writer.h"

namespace cambium::model::onnx_io {

Status write(const Input&, NodeWriter&) {
  report_bug(__FILE__, __LINE__, "inputs are no nodes of an ONNX graph", "input");
}

Status write(const Weight&, NodeWriter&) {
  report_bug(__FILE__, __LINE__, "weights are no nodes of an ONNX graph", "weight");
}

Status write(const Conv& op, NodeWriter& w) {
  const Ints& weight = w.type(1).dims;
  return w.node("Conv", w.inputs(),
                {attribute("dilations", op.dilations), attribute("group", op.groups),
                 attribute("kernel_shape", Ints(weight.begin() + 2, weight.end())),
                 attribute("pads", op.pads), attribute("strides", op.strides)});
}

Status write(const ConvTranspose& op, NodeWriter& w) {
  const Ints& weight = w.type(1).dims;
  return w.node("ConvTranspose", w.inputs(),
                {attribute("dilations", op.dilations), attribute("group", op.groups),
                 attribute("kernel_shape", Ints(weight.begin() + 2, weight.end())),
                 attribute("output_padding", op.output_padding), attribute("pads", op.pads),
                 attribute("strides", op.strides)});
}

Status write(const MatMul&, NodeWriter& w) {
  return w.node("MatMul", w.inputs());
}

Status write(const Gemm& op, NodeWriter& w) {
  return w.node("Gemm", w.inputs(),
                {attribute("alpha", op.alpha), attribute("beta", op.beta),
                 attribute("transA", op.transpose_a), attribute("transB", op.transpose_b)});
}

Status write(const Einsum& op, NodeWriter& w) {
  return w.node("Einsum", w.inputs(), {attribute("equation", op.equation)});
}

Status write(const BatchNorm& op, NodeWriter& w) {
  return w.node("BatchNormalization", w.inputs(), {attribute("epsilon", op.epsilon)});
}

Status write(const LayerNorm& op, NodeWriter& w) {
  return w.node("LayerNormalization", w.inputs(),
                {attribute("axis", op.axis), attribute("epsilon", op.epsilon)});
}

// As PyTorch does: instance normalization of the groups without effect of its own scale and bias,
// then those of the channels.
Status write(const GroupNorm& op, NodeWriter& w) {
  const TensorType& x = w.type(0);
  const std::int64_t channels = x.dims[1];
  if (op.groups == channels && x.rank() > 2) {
    return w.node("InstanceNormalization", w.inputs(), {attribute("epsilon", op.epsilon)});
  }
  std::int64_t positions = channels / op.groups;
  for (std::size_t i = 2; i < x.dims.size(); ++i) positions *= x.dims[i];
  const Ints groups{op.groups};
  const auto fill = [&](double value, const char* what) {
    return w.constant(Tensor::lazy({x.dtype, groups}, {Fill::Law::Constant, value, 0}), what);
  };
  const std::string view =
      w.helper("Reshape", {w.in(0), w.ints({x.dims[0], op.groups, positions}, "groups")});
  const std::string normalized =
      w.helper("InstanceNormalization", {view, fill(1, "ones"), fill(0, "zeros")},
               {attribute("epsilon", op.epsilon)});
  const std::string back = w.helper("Reshape", {normalized, w.ints(x.dims, "shape")});
  Ints per_channel(static_cast<std::size_t>(x.rank() - 1), 1);
  per_channel[0] = channels;
  const auto along_channels = [&](std::size_t i) {
    if (x.rank() == 2) return w.in(i);
    return w.helper("Reshape", {w.in(i), w.ints(per_channel, "channels")});
  };
  const std::string scaled = w.helper("Mul", {back, along_channels(1)});
  return w.last_of_several("Add", {scaled, along_channels(2)});
}

Status write(const Softmax& op, NodeWriter& w) {
  return w.node("Softmax", w.inputs(), {attribute("axis", op.axis)});
}

Status write(const LogSoftmax& op, NodeWriter& w) {
  return w.node("LogSoftmax", w.inputs(), {attribute("axis", op.axis)});
}

Status write(const Pool& op, NodeWriter& w) {
  std::vector<Attribute> attributes = {
      attribute("ceil_mode", op.ceil_mode), attribute("kernel_shape", op.kernel),
      attribute("pads", op.pads), attribute("strides", op.strides)};
  if (op.fn == PoolFn::Max) {
    attributes.push_back(attribute("dilations", op.dilations));
    attributes.push_back(attribute("storage_order", op.column_major_indices));
    return w.node("MaxPool", w.inputs(), std::move(attributes));
  }
  if (std::any_of(op.dilations.begin(), op.dilations.end(), [](auto d) { return d != 1; })) {
    return not_exportable("an average pool with dilations");
  }
  attributes.push_back(attribute("count_include_pad", op.count_include_pad));
  return w.node("AveragePool", w.inputs(), std::move(attributes));
}

Status write(const Reduce& op, NodeWriter& w) {
  static constexpr const char* kNames[] = {
      "ReduceMean", "ReduceSum", "ReduceMax",       "ReduceMin",    "ReduceProd",
      "ReduceL1",   "ReduceL2",  "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"};
  if (op.axes.empty() && w.type(0).rank() > 0) return not_exportable("a reduction over no axes");
  const char* name = kNames[static_cast<std::size_t>(op.fn)];
  if (op.fn == ReduceFn::Sum) {
    return w.node(name, {w.in(0), w.ints(op.axes, "axes")}, {attribute("keepdims", op.keep)});
  }
  return w.node(name, w.inputs(), {attribute("axes", op.axes), attribute("keepdims", op.keep)});
}

Status write(const ArgReduce& op, NodeWriter& w) {
  return w.node(op.maximum ? "ArgMax" : "ArgMin", w.inputs(),
                {attribute("axis", op.axis), attribute("keepdims", op.keep),
                 attribute("select_last_index", op.last)});
}

}  // namespace cambium::model::onnx_io
