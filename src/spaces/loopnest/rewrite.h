// Makes the model of a plan: first it applies all output bottlenecks, which leave narrower
// convolutions; then it puts a Composite at every site. Also gives the origins of weights. Refuses
// what the builder refuses, naming the site.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/weight_origin.h"
#include "spaces/loopnest/plan.h"

namespace cambium::spaces::loopnest {

Result<model::Model> rewritten(const Plan& plan);
// The weights that the rewrite makes or changes, by elements of the model before.
Result<std::vector<model::WeightOrigin>> origins_of(const Plan& plan);

}  // namespace cambium::spaces::loopnest
