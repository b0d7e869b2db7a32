#include "spaces/places/put.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/fingerprint.h"
#include "model/builder.h"

namespace cambium::spaces {

namespace {

using model::Value;

constexpr std::uint64_t kWeightSeed = 1;
// Ends the name of a Composite where no convolution stood: train/torch/fisher.cpp scores places of
// convolutions alone, and a Composite does not show what it took the place of.
constexpr const char* kNoConvolution = ".linear";

Value pooled(model::Builder& builder, Value x, const Place& place) {
  if (place.pool.empty()) return x;
  model::Pool pool;
  pool.fn = model::PoolFn::Average;
  pool.kernel = pool.strides = place.pool;
  pool.pads.assign(2 * place.pool.size(), 0);
  pool.dilations.assign(place.pool.size(), 1);
  pool.ceil_mode = place.pools_partly;
  return builder.add(pool, {x}, place.name + ".pool");
}

Value biased(model::Builder& builder, Value y, const Place& place) {
  if (!place.bias.valid()) return y;
  Value bias = place.bias;
  if (builder.type(bias).dims != place.bias_shape) {
    bias = builder.add(model::Reshape{place.bias_shape}, {bias}, place.name + ".bias_view");
  }
  return builder.add(model::Binary{model::BinaryFn::Add}, {y, bias}, place.name + ".biased");
}

// A block counts as a convolution if it has one.
bool stood_a_convolution(const model::Model& model, const Place& place) {
  const model::Node& output = model.node(place.output.node);
  if (output.as<model::Conv>() != nullptr) return true;
  const bool is_linear = !place.apart.empty();
  if (is_linear || output.block == model::kNoBlock) return false;
  return std::any_of(model.nodes().begin(), model.nodes().end(), [&](const model::NodePtr& node) {
    return node->block == output.block && node->as<model::Conv>() != nullptr;
  });
}

std::string composite_name(const model::Model& model, const Place& place,
                           const std::string& space) {
  return place.name + "." + space + (stood_a_convolution(model, place) ? "" : kNoConvolution);
}

// What the Composite of a place reads, and the first node that was added for it.
struct Reads {
  std::vector<Value> inputs;
  std::optional<Value> first_added;
};

// One weight in the place of one is the same node with other elements: it keeps its name, by which
// training draws it.
Reads with_weights(model::Builder& builder, Value x, const Place& place, const Standing& standing) {
  Reads reads{{x}, std::nullopt};
  const auto wanted = standing.composite.body->inputs();
  const bool takes_over = wanted.size() == 2 && place.weight.valid();
  for (std::size_t w = 0; w + 1 < wanted.size(); ++w) {
    const std::string name = place.name + ".w" + std::to_string(w + 1);
    model::Fill fill = standing.weights[w];
    fill.seed = fingerprint_of(kWeightSeed, name).low;
    const model::TensorType& type = standing.composite.body->node(wanted[w + 1]).outputs[0];
    model::Tensor elements = model::Tensor::lazy(type, fill);
    if (takes_over) {
      builder.set_op(place.weight.node, model::Weight{std::move(elements)});
      reads.inputs.push_back(place.weight);
      continue;
    }
    reads.inputs.push_back(builder.weight(name, std::move(elements)));
    if (!reads.first_added) reads.first_added = reads.inputs.back();
  }
  return reads;
}

}  // namespace

Result<model::Model> put(const model::Model& model, const std::vector<Place>& places,
                         const std::vector<const Standing*>& standing) {
  model::Builder builder(model);
  std::map<Value, Value> moved;  // one place may read what another gave
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    const Standing& here = *standing[i];
    const auto before = moved.find(place.input);
    const Value x = before == moved.end() ? place.input : before->second;
    const Value pool = pooled(builder, x, place);
    const Reads reads = with_weights(builder, pool, place, here);
    const Value y = builder.add(here.composite, reads.inputs,
                                composite_name(model, place, here.composite.space));
    const Value end = biased(builder, y, place);
    if (!builder.ok()) return builder.status().at("'" + place.name + "'").rejection();
    const Value first = pool != x ? pool : reads.first_added.value_or(y);
    for (std::uint32_t id = first.node.index; id <= end.node.index; ++id) {
      builder.set_block(model::NodeId{id}, model.node(place.output.node).block);
    }
    builder.replace(place.output, end);
    moved.emplace(place.output, end);
  }
  return std::move(builder).finish();
}

}  // namespace cambium::spaces
