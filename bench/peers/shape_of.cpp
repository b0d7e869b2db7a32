#include "peers/shape_of.h"

#include <numeric>

namespace cambium::bench {

namespace {

using Ints = std::vector<std::int64_t>;
using model::Model;
using model::Node;

Rejection none_for(const Node& node, const std::string& why = "") {
  return Rejection(Reason::UnsupportedOperator, std::string(model::name_of(node.op)),
                   why.empty() ? why : ": " + why);
}

std::int64_t product(const Ints& dims, std::size_t count) {
  return std::accumulate(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(count),
                         std::int64_t{1}, std::multiplies<>());
}

bool is_anchor(const Node& node) {
  return node.as<model::Conv>() != nullptr || node.as<model::ConvTranspose>() != nullptr ||
         node.as<model::MatMul>() != nullptr || node.as<model::Gemm>() != nullptr ||
         node.as<model::Softmax>() != nullptr || node.as<model::Reduce>() != nullptr;
}

// Work that a library would do on the way, or not at all.
bool is_light(const Node& node) {
  return node.inputs.empty() || node.as<model::Unary>() != nullptr ||
         node.as<model::Activation>() != nullptr || node.as<model::Binary>() != nullptr ||
         node.as<model::BatchNorm>() != nullptr || node.as<model::Reshape>() != nullptr ||
         node.as<model::Transpose>() != nullptr;
}

template <class Op>
Result<Shape> convolution(const Model& model, const Node& node, const Op& op, bool has_epilogue) {
  ConvShape shape;
  shape.input = model.type(node.inputs[0]).dims;
  shape.output = node.outputs[0].dims;
  const Ints& weights = model.type(node.inputs[1]).dims;
  if (weights.size() < 3 || weights.size() > 5) return none_for(node, "of so many dimensions");
  shape.kernel.assign(weights.begin() + 2, weights.end());
  shape.strides = op.strides;
  shape.pads = op.pads;
  shape.dilations = op.dilations;
  shape.groups = op.groups;
  shape.has_epilogue = has_epilogue;
  if constexpr (std::is_same_v<Op, model::ConvTranspose>) {
    shape.is_transposed = true;
    const std::size_t rank = shape.kernel.size();
    for (std::size_t i = 0; i < rank; ++i) shape.pads[rank + i] -= op.output_padding[i];
  }
  return Shape(std::move(shape));
}

// The scores of attention: both operands are transposed from [1, length, heads, depth].
bool has_heads(const Model& model, const Node& node) {
  const auto* left = model.node(node.inputs[0].node).as<model::Transpose>();
  const auto* right = model.node(node.inputs[1].node).as<model::Transpose>();
  return left != nullptr && right != nullptr && left->perm == Ints{0, 2, 1, 3} &&
         right->perm == Ints{0, 2, 3, 1} && node.outputs[0].dims[0] == 1;
}

Result<Shape> matmul(const Model& model, const Node& node) {
  const Ints &a = model.type(node.inputs[0]).dims, &b = model.type(node.inputs[1]).dims;
  const Ints& c = node.outputs[0].dims;
  if (a.size() < 2 || b.size() < 2) return none_for(node, "of a vector");
  MatMulShape shape{product(c, c.size() - 2), a[a.size() - 2], b.back(), a.back()};
  shape.heads = has_heads(model, node);
  shape.has_weights = model.weight(node.inputs[1]) != nullptr;
  const bool shares_right = product(b, b.size() - 2) == 1;
  if (shares_right) {  // one product of many rows
    shape.rows *= shape.batch;
    shape.batch = 1;
  }
  return Shape(shape);
}

Result<Shape> gemm(const Model& model, const Node& node, const model::Gemm& op) {
  const Ints &a = model.type(node.inputs[0]).dims, &c = node.outputs[0].dims;
  MatMulShape shape{1, c[0], c[1], a[op.transpose_a ? 0 : 1]};
  shape.has_weights = model.weight(node.inputs[1]) != nullptr;
  return Shape(shape);
}

Result<Shape> softmax(const Node& node, const model::Softmax& op) {
  const Ints& dims = node.outputs[0].dims;
  if (op.axis + 1 != std::ssize(dims)) return none_for(node, "along other than the last axis");
  return Shape(SoftmaxShape{product(dims, dims.size() - 1), dims.back()});
}

Result<Shape> norm(const Model& model, const Node& node, const model::Reduce& op) {
  if (op.fn != model::ReduceFn::L2) return none_for(node);
  if (node.outputs[0].elements() != 1) return none_for(node, "of parts");
  return Shape(NormShape{model.type(node.inputs[0]).elements()});
}

}  // namespace

Result<Shape> shape_of(const Model& model) {
  const Node* anchor = nullptr;
  bool has_others = false;
  for (const model::NodePtr& node : model.nodes()) {
    if (is_anchor(*node)) {
      if (anchor != nullptr) return none_for(*node, "after " + std::string(name_of(anchor->op)));
      anchor = node.get();
    } else if (!is_light(*node)) {
      return none_for(*node);
    }
    has_others = has_others || (!node->inputs.empty() && node.get() != anchor);
  }
  if (anchor == nullptr) {
    for (const model::NodePtr& node : model.nodes()) {
      if (!node->inputs.empty()) return none_for(*node, "by itself");
    }
    return Rejection(Reason::UnsupportedOperator, "", "there is none");
  }
  for (const model::Value value : anchor->inputs) {
    if (model.type(value).dtype != DType::F32) return none_for(*anchor, "of other than f32");
  }
  const bool has_epilogue = has_others || anchor->inputs.size() > 2;
  if (const auto* op = anchor->as<model::Conv>()) {
    return convolution(model, *anchor, *op, has_epilogue);
  }
  if (const auto* op = anchor->as<model::ConvTranspose>()) {
    return convolution(model, *anchor, *op, false);
  }
  if (anchor->as<model::MatMul>() != nullptr) return matmul(model, *anchor);
  if (const auto* op = anchor->as<model::Gemm>()) return gemm(model, *anchor, *op);
  if (const auto* op = anchor->as<model::Softmax>()) return softmax(*anchor, *op);
  return norm(model, *anchor, std::get<model::Reduce>(anchor->op));
}

}  // namespace cambium::bench
