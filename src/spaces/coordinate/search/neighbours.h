// What stands beside places: which axes of a family are unordered. Layers that write or read such
// an axis, one of channels, undo any permutation of it with weights of their own, so two operators
// that differ by one are the same in a network. CoordinateSpace asks for each of its families.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "model/model.h"
#include "spaces/coordinate/search/place.h"

namespace cambium::spaces::coordinate {

struct UnorderedAxes {
  std::vector<std::uint8_t> input, output;
};

// Those that are unordered at all places, of which there is one at least. An axis of the output is
// if it goes only into convolutions and linear layers that are dense in it, through nothing but
// element-wise operators, affine ones with weights of their own and pooling. A sum of two values, a
// Concat, an output of the model and a rewritten node keep the order. An axis of the input is if it
// comes from such a layer in such a way, and nothing else reads what lies between. `rewritten`: the
// nodes of all places of a search, which may become anything.
UnorderedAxes unordered_axes(const model::Model& model, const std::set<model::NodeId>& rewritten,
                             const std::vector<Place>& places);

}  // namespace cambium::spaces::coordinate
