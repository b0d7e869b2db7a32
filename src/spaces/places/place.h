// Place: where an operator can stand in a model: a convolution, a linear layer or a block with one
// f32 input and one f32 output. Where the original strides, the input is averaged first, as Syno
// does it, so that one operator, with one document, serves all layers of a network, strided or not.
// An operator that strides by itself can stand there too. A site that cannot be a place says why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/target.h"

namespace cambium::spaces {

// Shapes by names, [N, Ci, H, W], and the values of the names.
struct PlaceShapes {
  std::string in, out;
  std::vector<std::pair<std::string, std::int64_t>> sizes;

  bool is_size(const std::string& name) const;
  std::string binding() const;  // N=1, Ci=16, ...
  friend bool operator==(const PlaceShapes&, const PlaceShapes&) = default;
};

inline constexpr std::size_t kMostAxes = 8;  // of the input and output of a place

struct Place {
  std::string name;  // of the site
  model::Value input, output;
  // The only weight, which is removed when the place is rewritten. Invalid if there is none, if
  // there are several, or if another node reads it too.
  model::Value weight;
  model::Value bias;       // invalid: none
  model::Ints bias_shape;  // the shape in which it is added to the output
  PlaceShapes shapes;      // of the operator in this place, after the average
  PlaceShapes unpooled;    // of an operator that has no average in front of it
  // Axes, beside the batch, that every operator passes through unchanged: a linear layer mixes no
  // tokens, and a language model must not read later tokens.
  std::vector<std::uint8_t> apart;
  model::Ints pool;           // windows of the average by axis of space; empty: none
  bool pools_partly = false;  // the last window of an axis may be cut
  std::vector<std::int64_t> channels, extents;  // numbers of channels, axes of space
  std::int64_t macs = 0, parameters = 0;        // of the original, without its bias
  std::int64_t elements = 0;                    // of the original's input and output
  // Bytes of results. `activations`: of the nodes of the original. `around`: of the average before
  // an operator in this place and the bias after it. `shared`: of input and output, if the network
  // moves their elements; such moves may merge with the first or last moves of the operator.
  std::int64_t activations = 0, around = 0, shared = 0;
  int mixed = 0;  // axes of the input that the original sums over: channels, and those of windows
};
// The same place for an operator that reads the input without an average.
Place without_pool(Place place);

// Why a site is not a place.
struct NoPlace {
  std::string why;
};
using MaybePlace = std::variant<Place, NoPlace>;
MaybePlace place_of(const model::Model& model, const model::Target& target,
                    const model::Site& site);

// The places of these names, in the model's order, each once. Refuses (UnknownSite) a name that the
// model does not have, a site that is no place, and an empty list.
Result<std::vector<Place>> places_named(const model::Model& model,
                                        const std::vector<std::string>& names);

}  // namespace cambium::spaces
