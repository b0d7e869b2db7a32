// Surroundings: the cost of a network without the operators at some of its places. With this cost,
// which is counted once, a space can bound the cost of the network with any operator at these
// places, without building the network. Refuses what `put` refuses.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "spaces/places/place.h"
#include "spaces/space.h"

namespace cambium::spaces {

// Each number is a lower bound, and usually exact. The cost of the network is this plus the cost of
// its operators. Averages before operators and biases after them are included.
struct Surroundings {
  double macs = 0;
  double parameters = 0;
  double memory = 0;  // bytes of weights and of the most activations at once (model/cost.h)
  double activations = 0;

  // The cost with operators. The arguments are their parameters, multiply-adds and bytes of
  // activations at all places together; the last two may be unknown.
  Costs with(double parameters, std::optional<double> macs,
             std::optional<double> activations) const;
};

// `base_activations`: the activation bytes of the network as it is (model/recognize/pass.h).
Result<Surroundings> surroundings_of(const model::Model& model, const std::vector<Place>& places,
                                     double base_activations);

// Only the activations of the surroundings.
double activations_around(double base_activations, const std::vector<Place>& places);

}  // namespace cambium::spaces
