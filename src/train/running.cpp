#include "train/running.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "model/builder.h"
#include "model/composite.h"
#include "model/recognize/recognize.h"

namespace cambium::train {

namespace {

using model::Composite;
using model::Model;
using model::Node;
using model::NodeId;
using model::Value;

bool all_f32(const Model& given, const Node& node) {
  const auto is_f32 = [](const model::TensorType& type) { return type.dtype == DType::F32; };
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](Value value) { return is_f32(given.type(value)); }) &&
         std::all_of(node.outputs.begin(), node.outputs.end(), is_f32);
}

bool holds_batch_norms(const Model& body) {
  return std::any_of(body.nodes().begin(), body.nodes().end(), [](const model::NodePtr& node) {
    return node->as<model::BatchNorm>() != nullptr;
  });
}

// The body of a Composite at this batch, if a kernel could stand for it.
std::optional<Model> offered(const Model& given, const BatchAxes& axes, const Node& node,
                             std::int64_t batch) {
  const Model& body = *node.as<Composite>()->body;
  if (!all_f32(given, node) || holds_batch_norms(body)) return std::nullopt;
  if (batch == axes.batch) return body;
  std::vector<std::int64_t> inputs;
  for (const Value value : node.inputs) inputs.push_back(axes.axis[value.node.index]);
  const BatchAxes inside = batch_axes_of(body, axes.batch, inputs);
  auto changed = inside.fixed ? Result<Model>(*inside.fixed) : with_batch(body, inside, batch);
  if (!changed.ok()) return std::nullopt;
  return std::move(changed).value();
}

std::map<NodeId, ProvidedKernel> kernels_for(const Model& given, std::int64_t batch,
                                             KernelProvider& provider) {
  std::map<NodeId, ProvidedKernel> kernels;
  const BatchAxes axes = batch_axes_of(given);
  // A Composite that mixes samples as a whole may not do so in its parts, which then run.
  if (axes.fixed && batch != axes.batch) return kernels;
  for (const model::NodePtr& node : given.nodes()) {
    if (node->as<Composite>() == nullptr) continue;
    const auto body = offered(given, axes, *node, batch);
    if (!body) continue;
    if (auto kernel = provider.kernel_for(*body)) kernels.emplace(node->id, std::move(*kernel));
  }
  return kernels;
}

// Whether samples lie where they lay, in every value that is computed in another way. A graph for
// one sample leaves open which of its axes of extent 1 is the batch, and recognition drops those.
bool same_axes(const model::Recognized& recognized, const BatchAxes& before,
               const BatchAxes& after) {
  if (before.fixed) return true;  // runs with its own batch only
  if (after.fixed) return false;
  return std::all_of(recognized.moved.begin(), recognized.moved.end(), [&](const auto& moved) {
    return before.axis[moved.first.node.index] == after.axis[moved.second.node.index];
  });
}

// Attributes that hold the batch along this axis of the result.
model::Op with_batch(model::Op op, std::int64_t axis, std::int64_t from, std::int64_t to) {
  const auto change = [&](model::Ints& dims) {
    std::int64_t& dim = dims[static_cast<std::size_t>(axis)];
    if (dim % from == 0) dim = dim / from * to;
  };
  if (axis == kNoAxis) return op;
  std::visit(
      [&](auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, model::Reshape> || std::is_same_v<T, model::Expand>) {
          change(one.dims);
        } else if constexpr (std::is_same_v<T, model::Slice>) {
          change(one.extents);
        } else if constexpr (std::is_same_v<T, model::Resize>) {
          change(one.sizes);
        } else if constexpr (std::is_same_v<T, model::Tile>) {
          if (one.repeats[static_cast<std::size_t>(axis)] > 1) change(one.repeats);
        }
      },
      op);
  return op;
}

}  // namespace

Value Running::now(Value value) const {
  const auto place = moved.find(value);
  return place == moved.end() ? value : place->second;
}

Running running_of(const Model& given, std::int64_t batch, KernelProvider* kernels,
                   bool recognizes) {
  Running out;
  if (kernels != nullptr) out.kernels = kernels_for(given, batch, *kernels);
  model::Expansion flat =
      model::expanded_except(given, [&](NodeId id) { return out.kernels.count(id) != 0; });
  out.model = std::move(flat.model);
  out.moved = std::move(flat.moved);
  out.axes = batch_axes_of(out.model);
  if (!recognizes) return out;
  model::Recognized recognized = model::recognize(out.model);
  BatchAxes axes = batch_axes_of(recognized.model);
  if (!same_axes(recognized, out.axes, axes)) return out;
  axes.fixed = out.axes.fixed;
  out.model = std::move(recognized.model);
  out.axes = std::move(axes);
  model::follow(given, out.moved, recognized.moved);
  return out;
}

Result<Model> with_batch(const Model& model, const BatchAxes& axes, std::int64_t batch) {
  model::Builder builder(model.name());
  std::map<NodeId, NodeId> made;
  const auto value_of = [&](Value value) { return Value{made.at(value.node), value.slot}; };
  for (const model::NodePtr& node : model.nodes()) {
    const std::int64_t axis = axes.axis[node->id.index];
    if (const auto* input = node->as<model::Input>()) {
      model::TensorType type = input->type;
      if (axis != kNoAxis) {
        std::int64_t& dim = type.dims[static_cast<std::size_t>(axis)];
        dim = dim / axes.batch * batch;
      }
      made[node->id] = builder.input(node->name, std::move(type)).node;
    } else if (const auto* weight = node->as<model::Weight>()) {
      made[node->id] = builder.weight(node->name, weight->value).node;
    } else {
      std::vector<Value> reads;
      for (const Value value : node->inputs) reads.push_back(value_of(value));
      made[node->id] =
          builder.add(with_batch(node->op, axis, axes.batch, batch), reads, node->name).node;
    }
  }
  for (const model::Output& output : model.outputs()) {
    builder.output(output.name, value_of(output.value));
  }
  return std::move(builder).finish();
}

}  // namespace cambium::train
