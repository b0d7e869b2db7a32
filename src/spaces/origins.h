// Origins of a candidate's weights in the base model: those of its edits, composed in order.
// Measures that compare a candidate with the original under the same numbers read them. Refuses
// what applying the candidate refuses (`apply` in space.h).
#pragma once

#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/weight_origin.h"
#include "spaces/candidate.h"
#include "spaces/space.h"

namespace cambium::spaces {

struct Traced {
  model::Model model;  // the base model with all edits
  std::vector<WeightOrigin> origins;
};
// One row for each weight that an edit made or changed and that starts from weights of the base
// model, with the elements from which it starts. Weights that no edit touched and weights without
// an origin have no row. In the order of their names. Edits of a space that does not implement
// MapsWeights give no origins.
Result<Traced> traced(const model::Model& base, const Candidate& candidate,
                      const std::vector<Space*>& spaces);
Result<std::vector<WeightOrigin>> origins_of(const model::Model& base, const Candidate& candidate,
                                             const std::vector<Space*>& spaces);

}  // namespace cambium::spaces
