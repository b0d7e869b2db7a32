#include "model/zoo/transformer.h"

#include <cmath>
#include <limits>
#include <vector>

namespace cambium::model::zoo {

namespace {

Value project(Net& net, Value x, const std::string& name, std::int64_t out) {
  return net.linear(x, name, out, true, kTransformerDeviation);
}

}  // namespace

Value attention(Net& net, Value x, const std::string& name, const AttentionSpec& spec) {
  Builder& b = net.builder();
  if (!b.ok()) return {};
  const std::int64_t batch = net.dims(x)[0];
  const std::int64_t tokens = net.dims(x)[1];
  const std::int64_t width = net.dims(x)[2];
  const std::int64_t depth = width / spec.heads;
  Value q, k, v;
  if (spec.joint) {
    const Value joint = project(net, x, name + "." + spec.joint_name, 3 * width);
    q = b.add(Split{2, {width, width, width}}, {joint});
    k = {q.node, 1};
    v = {q.node, 2};
  } else {
    q = project(net, x, name + ".query", width);
    k = project(net, x, name + ".key", width);
    v = project(net, x, name + ".value", width);
  }
  const auto by_head = [&](Value y, Ints perm) {
    return b.add(Transpose{std::move(perm)}, {net.reshape(y, {batch, tokens, spec.heads, depth})});
  };
  Value scores = b.add(MatMul{}, {by_head(q, {0, 2, 1, 3}), by_head(k, {0, 2, 3, 1})});
  scores = net.mul(scores, net.scalar(name + ".scale", 1 / std::sqrt(static_cast<double>(depth))));
  if (spec.mask.valid()) {
    const Value hidden = net.scalar(name + ".hidden", std::numeric_limits<float>::lowest());
    scores = b.add(Where{}, {spec.mask, scores, hidden});
  }
  const Value weights = b.add(Softmax{3}, {scores});
  Value y = b.add(MatMul{}, {weights, by_head(v, {0, 2, 1, 3})});
  y = net.reshape(b.add(Transpose{{0, 2, 1, 3}}, {y}), {batch, tokens, width});
  return project(net, y, name + "." + spec.out_name, width);
}

Value causal_mask(Net& net, std::int64_t tokens) {
  const auto t = static_cast<std::size_t>(tokens);
  std::vector<std::byte> seen(t * t, std::byte{0});
  for (std::size_t query = 0; query < t; ++query) {
    for (std::size_t key = 0; key <= query; ++key) seen[query * t + key] = std::byte{1};
  }
  return net.builder().weight("causal_mask",
                              Tensor({DType::Bool, {1, 1, tokens, tokens}}, std::move(seen)));
}

Value mlp(Net& net, Value x, const std::string& name, const MlpSpec& spec) {
  if (!net.builder().ok()) return {};
  const std::int64_t width = net.dims(x).back();
  x = net.act(project(net, x, name + "." + spec.in_name, spec.expand * width), spec.act);
  return project(net, x, name + "." + spec.out_name, width);
}

}  // namespace cambium::model::zoo
