#include "spaces/coordinate/search/rewrite.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/fingerprint.h"
#include "model/composite.h"
#include "spaces/coordinate/lowering/verify.h"

namespace cambium::spaces::coordinate {

namespace {

using model::Value;

constexpr std::uint64_t kWeightSeed = 1;
// Ends the name of a Composite where no convolution stood: train/torch/fisher.cpp scores places of
// convolutions alone, and a Composite does not show what it took the place of.
constexpr const char* kNoConvolution = ".linear";

// The operator at one binding: what all places with it share.
struct Made {
  model::Composite composite;
  std::vector<double> deviations;  // by weight
};

// Deviations that keep the variance: a stage that multiplies by several weights shares it out.
std::vector<double> deviations_of(const Operator& op, const std::vector<Stage>& stages,
                                  const Extents& extents) {
  std::vector<double> deviations(op.weights.size(), 1);
  for (const Stage& stage : stages) {
    double summed = 1;
    for (const CoordinateIndex r : stage.reductions) summed *= static_cast<double>(extents.of(r));
    const double gain = &stage == &stages.back() ? 2 : 1;
    for (const std::size_t w : stage.weights) {
      deviations[w] = std::pow(gain / summed, 0.5 / static_cast<double>(stage.weights.size()));
    }
  }
  return deviations;
}

Result<Made> made_at(const Operator& op, const expr::Binding& binding, const std::string& document,
                     const std::string& name) {
  CAMBIUM_TRY(const Extents extents, extents_of(op, binding));
  CAMBIUM_TRY(const std::vector<Stage> stages, stages_of(op, {&binding, 1}));
  CAMBIUM_TRY(model::Model body, verified_decomposition(op, stages, binding, name));
  CAMBIUM_TRY(model::Composite composite,
              model::composite_of(std::string(kSpaceName), document, std::move(body)));
  return Made{std::move(composite), deviations_of(op, stages, extents)};
}

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

std::string composite_name(const model::Model& model, const Place& place) {
  return place.name + ".coordinate" + (stood_a_convolution(model, place) ? "" : kNoConvolution);
}

// What the Composite of a place reads, and the first node that was added for it.
struct Reads {
  std::vector<Value> inputs;
  std::optional<Value> first_added;
};

// One weight in the place of one is the same node with other elements: it keeps its name, by which
// training draws it.
Reads with_weights(model::Builder& builder, Value x, const Place& place, const Made& made) {
  Reads reads{{x}, std::nullopt};
  const auto wanted = made.composite.body->inputs();
  const bool takes_over = wanted.size() == 2 && place.weight.valid();
  for (std::size_t w = 0; w + 1 < wanted.size(); ++w) {
    const std::string name = place.name + ".w" + std::to_string(w + 1);
    const model::Fill fill{model::Fill::Law::Normal, made.deviations[w],
                           fingerprint_of(kWeightSeed, name).low};
    const model::TensorType& type = made.composite.body->node(wanted[w + 1]).outputs[0];
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

Result<model::Model> rewritten(const model::Model& model, const Family& family, const Operator& op,
                               const std::string& document) {
  std::vector<Made> made;
  for (std::size_t b = 0; b < family.problem.bindings.size(); ++b) {
    const auto place = std::find(family.bound_as.begin(), family.bound_as.end(), b);
    const std::string& name =
        family.places[static_cast<std::size_t>(place - family.bound_as.begin())].name;
    CAMBIUM_TRY(Made here, made_at(op, family.problem.bindings[b], document, name));
    made.push_back(std::move(here));
  }
  model::Builder builder(model);
  std::map<Value, Value> moved;  // one place may read what another gave
  for (std::size_t i = 0; i < family.places.size(); ++i) {
    const Place& place = family.places[i];
    const Made& here = made[family.bound_as[i]];
    const auto before = moved.find(place.input);
    const Value x = before == moved.end() ? place.input : before->second;
    const Value pool = pooled(builder, x, place);
    const Reads reads = with_weights(builder, pool, place, here);
    const Value y = builder.add(here.composite, reads.inputs, composite_name(model, place));
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

}  // namespace cambium::spaces::coordinate
