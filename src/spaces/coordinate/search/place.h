// Place: where an operator of the coordinate space can stand in a model: a convolution, a linear
// layer or a block with one f32 input and one f32 output whose shapes the operator can have. Where
// the original strides, the input is averaged first, as Syno does it: so one operator, with one
// document, serves all layers of a network, strided or not. An operator that strides by itself can
// stand there too. What cannot be a place says why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/target.h"

namespace cambium::spaces::coordinate {

// Shapes by names, [N, Ci, H, W], and what the names are worth.
struct PlaceShapes {
  std::string in, out;
  std::vector<std::pair<std::string, std::int64_t>> sizes;

  bool is_size(const std::string& name) const;
  std::string binding() const;  // N=1, Ci=16, ...
  friend bool operator==(const PlaceShapes&, const PlaceShapes&) = default;
};

struct Place {
  std::string name;  // of the site
  model::Value input, output;
  // The one weight that goes when the place is rewritten; invalid: it has none, several, or one
  // that is read elsewhere too.
  model::Value weight;
  model::Value bias;       // invalid: none
  model::Ints bias_shape;  // in which it is added to the output
  PlaceShapes shapes;      // of what stands in this place, after the average
  PlaceShapes unpooled;    // and without it
  // Axes that every operator passes through beside the batch: a linear layer mixes no tokens, and
  // what a language model reads must not come from later ones.
  std::vector<std::uint8_t> apart;
  model::Ints pool;           // windows of the average by axis of space; empty: none
  bool pools_partly = false;  // the last window of an axis may be cut
  std::vector<std::int64_t> channels, extents;  // numbers of channels, axes of space
  std::int64_t macs = 0, parameters = 0;        // of the original, without its bias
  std::int64_t elements = 0;                    // of the original's input and output
  // Bytes: of the results of the original's nodes; of what stands around an operator in this place,
  // an average before it and the bias behind it; and of input and output where the network moves
  // their elements, which may be done together with what the operator begins or ends with.
  std::int64_t activations = 0, around = 0, shared = 0;
  int mixed = 0;  // axes of the input that the original sums over: channels, and those of windows
};
// The same place for an operator that reads the input as it is.
Place without_pool(Place place);

// Nothing and the reason where there is none.
struct NoPlace {
  std::string why;
};
using MaybePlace = std::variant<Place, NoPlace>;
MaybePlace place_of(const model::Model& model, const model::Target& target,
                    const model::Site& site);

// The places of these names, in the model's order, each once. Refuses UnknownSite for what the
// model does not have, what is no place, and no names at all.
Result<std::vector<Place>> places_named(const model::Model& model,
                                        const std::vector<std::string>& names);

}  // namespace cambium::spaces::coordinate
