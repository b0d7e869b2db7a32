// Which axes of several places are unordered. Such an axis holds channels, and the layers that
// write or read it can undo any permutation with weights of their own. So two operators that differ
// only by a permutation are the same in a network. Spaces ask for the places that one operator
// serves.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "model/model.h"
#include "spaces/places/place.h"

namespace cambium::spaces {

struct UnorderedAxes {
  std::vector<std::uint8_t> input, output;
};

// The axes that are unordered at all places, of which there must be at least one. An axis of the
// output is unordered if it goes only into convolutions and linear layers that are dense in it, and
// on the way passes only element-wise operators, affine operators with weights of their own, and
// pooling. A sum of two values, a Concat, an output of the model and a rewritten node keep the
// order. An axis of the input is unordered if it comes from such a layer in the same way, and
// nothing else reads the values between. `rewritten`: the nodes of all places of a search, which
// may become anything.
UnorderedAxes unordered_axes(const model::Model& model, const std::set<model::NodeId>& rewritten,
                             const std::vector<Place>& places);

}  // namespace cambium::spaces
