// Puts operators into places of a model: an average where the original strides, then a Composite
// with weights of its own, then the bias of the original if it had one. Refuses what the builder
// refuses, naming the place. Spaces call it to apply an edit.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/operators.h"
#include "model/tensor.h"
#include "spaces/places/place.h"

namespace cambium::spaces {

// An operator made for one size of place: its inputs are the data, then its weights.
struct Standing {
  model::Composite composite;
  std::vector<model::Fill> weights;  // how each is drawn; the seed follows from its name
};

// `standing[i]` is put at `places[i]`; all places are of this model. Nodes are named after the
// site: of the space `coordinate`, the Composite of `conv1` is `conv1.coordinate` (where no
// convolution stood, `fc.coordinate.linear`), its weights are `conv1.w1` ... But where an operator
// with one weight replaces a layer with one, the weight keeps its node and name: training draws
// weights by name, so an operator that computes the same starts with the same numbers.
Result<model::Model> put(const model::Model& model, const std::vector<Place>& places,
                         const std::vector<const Standing*>& standing);

}  // namespace cambium::spaces
