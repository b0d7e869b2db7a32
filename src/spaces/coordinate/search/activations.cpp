#include "spaces/coordinate/search/activations.h"

#include <algorithm>
#include <string>

#include "model/composite.h"
#include "model/recognize/pass.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/search/rewrite.h"

namespace cambium::spaces::coordinate {

namespace {

// The operator by itself: its input, its weights, and nothing around it.
Result<model::Model> alone(const Operator& op, const expr::Binding& binding) {
  CAMBIUM_TRY(model::Model body, decompose(op, binding));
  CAMBIUM_TRY(const model::Composite composite,
              model::composite_of(std::string(kSpaceName), "", std::move(body)));
  model::Builder builder("alone");
  std::vector<model::Value> inputs;
  for (const model::NodeId id : composite.body->inputs()) {
    const model::TensorType& type = composite.body->node(id).outputs[0];
    const std::string name = "i" + std::to_string(inputs.size());
    inputs.push_back(inputs.empty() ? builder.input(name, type)
                                    : builder.weight(name, model::Tensor::lazy(type, {})));
  }
  builder.output("y", builder.add(composite, inputs, "operator"));
  return std::move(builder).finish();
}

}  // namespace

double activations_around(double base, const Family& family) {
  for (const Place& place : family.places) {
    base += static_cast<double>(place.around - place.activations - place.shared);
  }
  return base;
}

Result<double> least_activations(double base, const Family& family, const Operator& op,
                                 double enough) {
  double least = activations_around(base, family);
  for (std::size_t i = 0; i < family.times.size() && least <= enough; ++i) {
    CAMBIUM_TRY(const model::Model model, alone(op, family.problem.bindings[i]));
    // The input counts among the results of a pass, but another node of the network makes it.
    const std::int64_t input = model.node(model.inputs()[0]).outputs[0].bytes();
    // In the network the operator may be left as it is written, which now and then makes less.
    const std::int64_t made = std::min(model::pass_of(model).activation_bytes,
                                       model::pass_as_written(model).activation_bytes);
    least += family.times[i] * static_cast<double>(made - input);
  }
  return least;
}

}  // namespace cambium::spaces::coordinate
