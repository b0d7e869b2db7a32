#include "model/random_model.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace cambium::model {

namespace {

constexpr std::int64_t kSide = 4;

Tensor random_weight(Rng& rng) {
  const TensorType type{DType::F32, {kSide, kSide}};
  if (rng.chance(0.5)) return Tensor::lazy(type, {Fill::Law::Normal, 0.3, rng.next_u64()});
  std::vector<float> elements(kSide * kSide);
  for (float& element : elements) element = static_cast<float>(rng.normal());
  return Tensor::of<float>({kSide, kSide}, elements);
}

Value random_node(Builder& builder, Rng& rng, const std::vector<Value>& values) {
  const auto pick = [&] { return values[rng.below(values.size())]; };
  switch (rng.below(6)) {
    case 0: return builder.add(MatMul{}, {pick(), pick()});
    case 1: return builder.add(Unary{UnaryFn::Tanh}, {pick()});
    case 2:
      return builder.add(Binary{rng.chance(0.5) ? BinaryFn::Sub : BinaryFn::Mul}, {pick(), pick()});
    case 3: return builder.add(Transpose{{1, 0}}, {pick()});
    case 4: {
      const Value halves = builder.add(Split{0, {kSide / 2, kSide / 2}}, {pick()});
      return builder.add(Concat{0}, {{halves.node, 1}, {halves.node, 0}});
    }
    default: {
      const Value rows = builder.weight(
          "rows",
          Tensor::of<std::int64_t>({kSide}, {0, static_cast<std::int64_t>(rng.below(4)), 2, -1}));
      return builder.add(Gather{0}, {pick(), rows});
    }
  }
}

}  // namespace

Model random_model(std::uint64_t seed) {
  Rng rng(seed);
  Builder builder("random");
  std::vector<Value> values;
  for (std::uint64_t i = 0, n = 1 + rng.below(3); i < n; ++i) {
    values.push_back(builder.input("x", {DType::F32, {kSide, kSide}}));
  }
  for (std::uint64_t i = 0, n = 1 + rng.below(4); i < n; ++i) {
    values.push_back(builder.weight("w", random_weight(rng)));
  }
  for (std::uint64_t i = 0, n = 4 + rng.below(24); i < n; ++i) {
    if (rng.chance(0.2)) builder.begin_block("block", rng.chance(0.5) ? "even" : "odd");
    values.push_back(random_node(builder, rng, values));
    if (rng.chance(0.2)) builder.end_block();
  }
  const std::size_t outputs = 1 + rng.below(3);
  for (std::size_t i = 0; i < outputs; ++i) {
    builder.output("y" + std::to_string(i), values[values.size() - 1 - i]);
  }
  return std::move(builder).finish().value();
}

Model shuffled(const Model& model, Rng& rng) {
  Builder builder("shuffled");
  std::unordered_map<NodeId, NodeId> fresh;
  const auto value_of = [&](Value value) { return Value{fresh.at(value.node), value.slot}; };
  for (const NodeId id : model.inputs()) {
    fresh[id] = builder.input("in", model.node(id).outputs[0]).node;
  }
  std::vector<NodePtr> waiting;
  for (const NodePtr& node : model.nodes()) {
    if (node->as<Input>() == nullptr) waiting.push_back(node);
  }
  while (!waiting.empty()) {  // any node whose inputs are there may come next
    const std::size_t i = rng.below(waiting.size());
    const NodePtr node = waiting[i];
    bool ready = true;
    for (const Value value : node->inputs) ready = ready && fresh.count(value.node) != 0;
    if (!ready) continue;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<Value> inputs;
    for (const Value value : node->inputs) inputs.push_back(value_of(value));
    const Weight* weight = node->as<Weight>();
    const Value made = weight != nullptr
                           ? builder.weight("w" + std::to_string(rng.below(1000)), weight->value)
                           : builder.add(node->op, inputs, "n" + std::to_string(rng.below(1000)));
    fresh[node->id] = made.node;
  }
  for (const Output& output : model.outputs()) {
    builder.output("out" + output.name, value_of(output.value));
  }
  return std::move(builder).finish().value();
}

}  // namespace cambium::model
