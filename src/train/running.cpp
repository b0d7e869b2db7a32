#include "train/running.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/composite.h"
#include "model/recognize/apart.h"

namespace cambium::train {

namespace {

using model::BatchAxes;
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

// The body of a Composite at this batch, if a kernel could replace it.
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
  // A Composite that mixes samples as a whole need not mix them in its parts, which run then.
  if (axes.fixed && batch != axes.batch) return kernels;
  for (const model::NodePtr& node : given.nodes()) {
    if (node->as<Composite>() == nullptr) continue;
    const auto body = offered(given, axes, *node, batch);
    if (!body) continue;
    if (auto kernel = provider.kernel_for(*body)) kernels.emplace(node->id, std::move(*kernel));
  }
  return kernels;
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
  model::RecognizedApart found = model::recognize_apart(out.model);
  model::Recognized& recognized = found.recognized;
  if (recognized.moved.empty()) return out;
  if (found.axes.batch != out.axes.batch) {
    auto back = with_batch(recognized.model, found.axes, out.axes.batch);
    if (!back.ok()) return out;
    recognized.model = std::move(back).value();
    found.axes.batch = out.axes.batch;
  }
  out.model = std::move(recognized.model);
  out.axes = std::move(found.axes);
  model::follow(given, out.moved, recognized.moved);
  return out;
}

}  // namespace cambium::train
