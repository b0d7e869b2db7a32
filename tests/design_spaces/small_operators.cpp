#include "small_operators.h"

#include "base/check.h"
#include "lower/lower.h"
#include "model/builder.h"

namespace cambium {
namespace {

using Ints = std::vector<std::int64_t>;
using model::Value;

SmallOperator finished(std::string name, model::Builder b,
                       const std::vector<Value>& channels_last) {
  auto built = std::move(b).finish();
  CAMBIUM_CHECK(built.ok(), "a test's model is sound");
  SmallOperator op{std::move(name), std::move(built).value(), {}};
  for (const Value value : channels_last) {
    op.layouts.set(value, lower::channels_last(op.model.type(value).rank()));
  }
  return op;
}

struct Options {
  std::int64_t stride = 1, pad = 0, dilation = 1, groups = 1;
  bool transposed = false, epilogue = false;
};

SmallOperator conv(const std::string& name, Ints spatial, std::int64_t in, std::int64_t out,
                   Ints kernel, const Options& o = {}) {
  const std::size_t rank = spatial.size();
  const auto fill = [](Ints dims, std::uint64_t seed) {
    return model::Tensor::lazy({DType::F32, std::move(dims)},
                               {model::Fill::Law::Uniform, 0.5, seed});
  };
  model::Builder b(name);
  Ints dims{1, in};
  dims.insert(dims.end(), spatial.begin(), spatial.end());
  const Value x = b.input("x", {DType::F32, dims});
  Ints weights = o.transposed ? Ints{in, out / o.groups} : Ints{out, in / o.groups};
  weights.insert(weights.end(), kernel.begin(), kernel.end());
  std::vector<Value> inputs{x, b.weight("w", fill(weights, 7))};
  if (o.epilogue) inputs.push_back(b.weight("bias", fill({out}, 8)));
  const Ints strides(rank, o.stride), pads(2 * rank, o.pad), dilations(rank, o.dilation);
  Value y = o.transposed
                ? b.add(model::ConvTranspose{strides, pads, dilations, Ints(rank, 0), o.groups},
                        inputs, "conv")
                : b.add(model::Conv{strides, pads, dilations, o.groups}, inputs, "conv");
  std::vector<Value> last{x, y};
  if (o.epilogue) {
    const Value scale = b.weight("scale", fill({out, 1, 1}, 9));
    last.push_back(y = b.add(model::Binary{model::BinaryFn::Mul}, {y, scale}));
    last.push_back(y = b.add(model::Unary{model::UnaryFn::Relu}, {y}));
  }
  b.output("y", y);
  return finished(name, std::move(b), last);
}

SmallOperator matmul() {
  model::Builder b("GMM");
  const Value x = b.input("x", {DType::F32, {1, 12, 8}});
  const Value y = b.input("y", {DType::F32, {1, 8, 32}});
  b.output("z", b.add(model::MatMul{}, {x, y}, "matmul"));
  return finished("GMM", std::move(b), {});
}

SmallOperator heads() {
  model::Builder b("TBG");
  const Value q = b.input("q", {DType::F32, {1, 8, 3, 4}});
  const Value v = b.input("v", {DType::F32, {1, 8, 3, 4}});
  const Value qt = b.add(model::Transpose{{0, 2, 1, 3}}, {q}, "query");
  const Value vt = b.add(model::Transpose{{0, 2, 3, 1}}, {v}, "value");
  b.output("s", b.add(model::MatMul{}, {qt, vt}, "scores"));
  return finished("TBG", std::move(b), {});
}

SmallOperator norm() {
  model::Builder b("NRM");
  const Value x = b.input("x", {DType::F32, {1, 12, 20}});
  b.output("y", b.add(model::Reduce{model::ReduceFn::L2, {1, 2}, false}, {x}, "norm"));
  return finished("NRM", std::move(b), {});
}

SmallOperator softmax() {
  model::Builder b("SFM");
  const Value x = b.input("x", {DType::F32, {6, 24}});
  b.output("y", b.add(model::Softmax{1}, {x}, "softmax"));
  return finished("SFM", std::move(b), {});
}

}  // namespace

std::vector<SmallOperator> small_operators() {
  return {
      conv("C1D", {16}, 4, 16, {3}, {.stride = 2, .pad = 1}),
      conv("C2D", {6, 8}, 6, 16, {3, 3}, {.pad = 1}),
      conv("C3D", {4, 4, 6}, 2, 8, {3, 3, 3}, {.stride = 2, .pad = 1}),
      conv("DEP", {8, 8}, 16, 16, {3, 3}, {.pad = 1, .groups = 16}),
      conv("DIL", {11, 11}, 3, 16, {3, 3}, {.stride = 2, .pad = 3, .dilation = 2}),
      matmul(),
      conv("GRP", {6, 6}, 8, 24, {3, 3}, {.pad = 1, .groups = 4}),
      conv("T2D", {3, 4}, 6, 8, {4, 4}, {.stride = 2, .pad = 1, .transposed = true}),
      conv("CBR", {7, 7}, 3, 16, {3, 3}, {.stride = 2, .pad = 1, .epilogue = true}),
      heads(),
      norm(),
      softmax(),
  };
}

program::Program lowered(program::Context& cx, const model::Model& model,
                         const lower::Layouts& layouts) {
  std::vector<model::NodeId> nodes;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Input>() == nullptr && node->as<model::Weight>() == nullptr) {
      nodes.push_back(node->id);
    }
  }
  const auto result = lower::lower(cx, model, nodes, layouts);
  CAMBIUM_CHECK(result.ok(), "a test's model can be lowered");
  return result->program;
}

}  // namespace cambium
