#include "spaces/coordinate/search/least_costs.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "model/composite.h"
#include "model/recognize/pass.h"
#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/lowering/least_work.h"

namespace cambium::spaces::coordinate {

namespace {

constexpr double kBytesPerElement = 4;  // places are of f32

// The operator by itself: its input, its weights, and nothing around it. No Composite stands around
// the body either, because counting would only expand it.
Result<model::Model> alone(const Operator& op, const expr::Binding& binding) {
  CAMBIUM_TRY(const model::Model body, decompose(op, binding));
  model::Builder builder("alone");
  std::vector<model::Value> inputs;
  for (const model::NodeId id : body.inputs()) {
    const model::TensorType& type = body.node(id).outputs[0];
    const std::string name = "i" + std::to_string(inputs.size());
    inputs.push_back(inputs.empty() ? builder.input(name, type)
                                    : builder.weight(name, model::Tensor::lazy(type, {})));
  }
  builder.output("y", model::inlined(builder, body, inputs, "operator")[0]);
  return std::move(builder).finish();
}

struct Counted {
  double macs = 0, activations = 0;

  void add(double times, const Counted& more) {
    macs += times * more.macs;
    activations += times * more.activations;
  }
};

Result<Counted> counted_alone(const Operator& op, const expr::Binding& binding) {
  CAMBIUM_TRY(const model::Model model, alone(op, binding));
  // In the network the operator may be left as it is written, which now and then makes less.
  const model::Pass pass = model::pass_of(model), written = model::pass_as_written(model);
  // The input counts among the results of a pass, but another node of the network makes it.
  const std::int64_t input = model.node(model.inputs()[0]).outputs[0].bytes();
  return Counted{
      static_cast<double>(std::min(pass.macs, written.macs)),
      static_cast<double>(std::min(pass.activation_bytes, written.activation_bytes) - input)};
}

// Never more than counted_alone. Zero if the operator has no stages.
Counted from_stages(const Operator& op, const expr::Binding& binding, const BoundOperator& bound) {
  const auto stages = stages_of(op, {&binding, 1});
  if (!stages.ok()) return {};
  const LeastWork work = least_work(op, *stages, bound);
  return {work.macs, kBytesPerElement * work.results};
}

// Bindings, those first that weigh most: a limit is met the sooner.
std::vector<std::size_t> heaviest_first(const Family& family) {
  std::vector<double> weight(family.times.size());
  for (std::size_t i = 0; i < family.places.size(); ++i) {
    weight[family.bound_as[i]] += static_cast<double>(family.places[i].elements);
  }
  std::vector<std::size_t> order(weight.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight[a] > weight[b]; });
  return order;
}

}  // namespace

Costs least_costs(const Surroundings& around, const Family& family, const Operator& op,
                  const Costs& limits, int* counts) {
  std::vector<BoundOperator> bound;
  double parameters = 0;
  for (std::size_t i = 0; i < family.times.size(); ++i) {
    auto here = bind(op, family.problem.bindings[i]);
    if (!here.ok()) return {};
    parameters += family.times[i] * static_cast<double>(here->parameters());
    bound.push_back(std::move(*here));
  }
  Costs least = around.with(parameters, std::nullopt, std::nullopt);
  if (exceeds(least, limits) || (!limits.macs && !limits.activations)) return least;
  const auto with = [&](const Counted& at_places) {
    return around.with(parameters, at_places.macs, at_places.activations);
  };
  // Bounds from the stages at all bindings; counts then replace them, one binding at a time.
  const std::vector<std::size_t> order = heaviest_first(family);
  std::vector<Counted> rest(order.size() + 1);  // by place in the order: of it and those after it
  for (std::size_t n = order.size(); n-- > 0;) {
    const std::size_t i = order[n];
    rest[n] = rest[n + 1];
    rest[n].add(family.times[i], from_stages(op, family.problem.bindings[i], bound[i]));
  }
  Counted counted;
  for (std::size_t n = 0;; ++n) {
    Counted all = counted;
    all.add(1, rest[n]);
    least = with(all);
    if (n == order.size() || exceeds(least, limits)) return least;
    if (counts != nullptr) ++*counts;
    const auto here = counted_alone(op, family.problem.bindings[order[n]]);
    if (!here.ok()) return around.with(parameters, std::nullopt, std::nullopt);
    counted.add(family.times[order[n]], *here);
  }
}

}  // namespace cambium::spaces::coordinate
