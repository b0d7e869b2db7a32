// What a network costs without the operators at some of its places. Counted once, it lets a space
// bound the cost of any operator at these places from its document, without building the network.
// Refuses what `put` refuses.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "spaces/places/place.h"
#include "spaces/space.h"

namespace cambium::spaces {

// Each is a lower bound, and mostly the number itself; the network costs this and what its
// operators cost. Averages in front of operators and biases behind them are counted here.
struct Surroundings {
  double macs = 0;
  double parameters = 0;
  double memory = 0;  // bytes of weights and of the most activations at once (model/cost.h)
  double activations = 0;

  // With operators of so many parameters at all places together, and of so many multiply-adds and
  // bytes of activations where these are known.
  Costs with(double parameters, std::optional<double> macs,
             std::optional<double> activations) const;
};

// `base_activations`: the activation bytes of the network as it is (model/recognize/pass.h).
Result<Surroundings> surroundings_of(const model::Model& model, const std::vector<Place>& places,
                                     double base_activations);

// Its activations alone.
double activations_around(double base_activations, const std::vector<Place>& places);

}  // namespace cambium::spaces
