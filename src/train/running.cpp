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

// A graph for one sample leaves open which of its axes of extent 1 is the batch, and recognition
// drops those: it sees a graph for so many samples that no other axis is taken for theirs. The
// graph itself where that cannot be made.
constexpr std::int64_t kSeveral = 127;
Model for_several(const Model& model, const BatchAxes& axes) {
  if (axes.batch != 1 || axes.fixed) return model;
  auto several = with_batch(model, axes, kSeveral);
  return several.ok() ? std::move(several).value() : model;
}

// Whether samples lie where they lay, in every value that is computed in another way.
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
  model::Recognized recognized = model::recognize(for_several(out.model, out.axes));
  BatchAxes axes = batch_axes_of(recognized.model);
  if (recognized.moved.empty() || !same_axes(recognized, out.axes, axes)) return out;
  if (axes.batch != out.axes.batch) {
    auto back = with_batch(recognized.model, axes, out.axes.batch);
    if (!back.ok()) return out;
    recognized.model = std::move(back).value();
    axes.batch = out.axes.batch;
  }
  axes.fixed = out.axes.fixed;
  out.model = std::move(recognized.model);
  out.axes = std::move(axes);
  model::follow(given, out.moved, recognized.moved);
  return out;
}

Result<Model> with_batch(const Model& model, const BatchAxes& axes, std::int64_t batch) {
  model::Builder builder(model);
  for (const model::NodePtr& node : model.nodes()) {
    const std::int64_t axis = axes.axis[node->id.index];
    if (axis == kNoAxis) continue;
    if (const auto* input = node->as<model::Input>()) {
      model::Input changed = *input;
      std::int64_t& dim = changed.type.dims[static_cast<std::size_t>(axis)];
      dim = dim / axes.batch * batch;
      builder.set_op(node->id, std::move(changed));
    } else {
      builder.set_op(node->id, with_batch(node->op, axis, axes.batch, batch));
    }
  }
  return std::move(builder).finish();
}

}  // namespace cambium::train
