#include "spaces/coordinate/search/rewrite.h"

#include <algorithm>
#include <cmath>

#include "model/composite.h"
#include "spaces/coordinate/lowering/verify.h"
#include "spaces/places/put.h"

namespace cambium::spaces::coordinate {

namespace {

// Normal, so that every stage keeps the variance: one that multiplies by several weights shares it
// out.
std::vector<model::Fill> fills_of(const Operator& op, const std::vector<Stage>& stages,
                                  const Extents& extents) {
  std::vector<model::Fill> fills(op.weights.size(), {model::Fill::Law::Normal, 1});
  for (const Stage& stage : stages) {
    double summed = 1;
    for (const CoordinateIndex r : stage.reductions) summed *= static_cast<double>(extents.of(r));
    const double gain = &stage == &stages.back() ? 2 : 1;
    for (const std::size_t w : stage.weights) {
      fills[w].scale = std::pow(gain / summed, 0.5 / static_cast<double>(stage.weights.size()));
    }
  }
  return fills;
}

Result<Standing> made_at(const Operator& op, const expr::Binding& binding,
                         const std::string& document, const std::string& name) {
  CAMBIUM_TRY(const Extents extents, extents_of(op, binding));
  CAMBIUM_TRY(const std::vector<Stage> stages, stages_of(op, {&binding, 1}));
  CAMBIUM_TRY(model::Model body, verified_decomposition(op, stages, binding, name));
  CAMBIUM_TRY(model::Composite composite,
              model::composite_of(std::string(kSpaceName), document, std::move(body)));
  return Standing{std::move(composite), fills_of(op, stages, extents)};
}

}  // namespace

Result<model::Model> rewritten(const model::Model& model, const Family& family, const Operator& op,
                               const std::string& document) {
  std::vector<Standing> made;  // by binding: all places with it share one
  for (std::size_t b = 0; b < family.problem.bindings.size(); ++b) {
    const auto place = std::find(family.bound_as.begin(), family.bound_as.end(), b);
    const std::string& name =
        family.places[static_cast<std::size_t>(place - family.bound_as.begin())].name;
    CAMBIUM_TRY(Standing here, made_at(op, family.problem.bindings[b], document, name));
    made.push_back(std::move(here));
  }
  std::vector<const Standing*> standing;
  for (const std::size_t binding : family.bound_as) standing.push_back(&made[binding]);
  return put(model, family.places, standing);
}

}  // namespace cambium::spaces::coordinate
