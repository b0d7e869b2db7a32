#include "spaces/places/surroundings.h"

#include <algorithm>

#include "model/composite.h"
#include "model/cost.h"
#include "model/recognize/pass.h"
#include "spaces/places/put.h"

namespace cambium::spaces {

namespace {

constexpr double kBytesPerParameter = 4;  // places are of f32

// An operator without weights and multiply-adds, from the shape that reaches a place to its output.
Result<Standing> stand_in(const model::Model& model, const Place& place) {
  const model::TensorType& to = model.type(place.output);
  model::TensorType from = model.type(place.input);
  // An average makes the axes of space as long as the output's.
  const std::size_t rank = from.dims.size();
  std::copy_n(to.dims.end() - static_cast<std::ptrdiff_t>(place.pool.size()), place.pool.size(),
              from.dims.begin() + static_cast<std::ptrdiff_t>(rank - place.pool.size()));
  model::Ints mixed;  // samples stay apart where the operator keeps them so
  for (std::size_t axis = from.dims[0] == to.dims[0] ? 1 : 0; axis < rank; ++axis) {
    mixed.push_back(static_cast<std::int64_t>(axis));
  }
  model::Builder body("stand-in");
  const model::Value x = body.input("x", from);
  const model::Value mean = body.add(model::Reduce{model::ReduceFn::Mean, mixed, true}, {x});
  body.output("y", body.add(model::Expand{to.dims}, {mean}));
  CAMBIUM_TRY(model::Model made, std::move(body).finish());
  CAMBIUM_TRY(model::Composite composite, model::composite_of("stand-in", "", std::move(made)));
  return Standing{std::move(composite), {}};
}

}  // namespace

Costs Surroundings::with(double more_parameters, std::optional<double> more_macs,
                         std::optional<double> more_activations) const {
  Costs costs;
  costs.parameters = parameters + more_parameters;
  costs.memory = memory + kBytesPerParameter * more_parameters;
  if (more_macs) costs.macs = macs + *more_macs;
  if (more_activations) costs.activations = activations + *more_activations;
  return costs;
}

double activations_around(double base_activations, const std::vector<Place>& places) {
  for (const Place& place : places) {
    base_activations += static_cast<double>(place.around - place.activations - place.shared);
  }
  return base_activations;
}

Result<Surroundings> surroundings_of(const model::Model& model, const std::vector<Place>& places,
                                     double base_activations) {
  std::vector<Standing> made;
  for (const Place& place : places) {
    CAMBIUM_TRY(Standing here, stand_in(model, place));
    made.push_back(std::move(here));
  }
  std::vector<const Standing*> standing;
  for (const Standing& here : made) standing.push_back(&here);
  CAMBIUM_TRY(const model::Model rest, put(model, places, standing));
  const model::Cost cost = model::cost_of(rest);
  Surroundings around;
  around.macs = static_cast<double>(
      std::min({cost.macs, model::pass_of(rest).macs, model::pass_as_written(rest).macs}));
  around.parameters = static_cast<double>(cost.params);
  around.memory = static_cast<double>(cost.weight_bytes + cost.peak_bytes);
  around.activations = activations_around(base_activations, places);
  return around;
}

}  // namespace cambium::spaces
