#include "spaces/coordinate/search/rewrite.h"

#include <cmath>
#include <map>

#include "base/fingerprint.h"
#include "model/composite.h"
#include "spaces/coordinate/lowering/decompose.h"

namespace cambium::spaces::coordinate {

namespace {

using model::Value;

constexpr std::uint64_t kWeightSeed = 1;

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

Result<Made> made_at(const Operator& op, const expr::Binding& binding,
                     const std::string& document) {
  CAMBIUM_TRY(const Extents extents, extents_of(op, binding));
  CAMBIUM_TRY(const std::vector<Stage> stages, stages_of(op, {&binding, 1}));
  CAMBIUM_TRY(model::Model body, decompose(op, stages, extents));
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

std::vector<Value> with_weights(model::Builder& builder, Value x, const Place& place,
                                const Made& made) {
  std::vector<Value> inputs{x};
  const auto wanted = made.composite.body->inputs();
  for (std::size_t w = 0; w + 1 < wanted.size(); ++w) {
    const std::string name = place.name + ".w" + std::to_string(w + 1);
    const model::Fill fill{model::Fill::Law::Normal, made.deviations[w],
                           fingerprint_of(kWeightSeed, name).low};
    const model::TensorType& type = made.composite.body->node(wanted[w + 1]).outputs[0];
    inputs.push_back(builder.weight(name, model::Tensor::lazy(type, fill)));
  }
  return inputs;
}

}  // namespace

Result<model::Model> rewritten(const model::Model& model, const Family& family, const Operator& op,
                               const std::string& document) {
  std::vector<Made> made;
  for (const expr::Binding& binding : family.problem.bindings) {
    CAMBIUM_TRY(Made here, made_at(op, binding, document));
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
    const std::vector<Value> inputs = with_weights(builder, pool, place, here);
    const Value y = builder.add(here.composite, inputs, place.name + ".coordinate");
    const Value end = biased(builder, y, place);
    if (!builder.ok()) return builder.status().at("'" + place.name + "'").rejection();
    const Value first = pool != x ? pool : inputs.size() > 1 ? inputs[1] : y;
    for (std::uint32_t id = first.node.index; id <= end.node.index; ++id) {
      builder.set_block(model::NodeId{id}, model.node(place.output.node).block);
    }
    builder.replace(place.output, end);
    moved.emplace(place.output, end);
  }
  return std::move(builder).finish();
}

}  // namespace cambium::spaces::coordinate
