// Followers: the nodes and weights that must become narrower if a convolution computes fewer output
// channels after an output bottleneck. The channels pass element-wise operators, batch norms,
// pooling and biases. They end in the weights of convolutions and linear layers, which then read
// fewer channels. Refuses (ChangesInterface), naming the node, if the channels reach something that
// needs all of them: another activation that is added or multiplied, a Concat, an output of the
// model, a site that was already rewritten, or a weight with several readers.
//
// The remaining channels are the first of each of `blocks` equal blocks. A grouped convolution,
// here or later, has a whole number of blocks in each group, so every group is cut equally.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/tensor.h"
#include "model/weight_origin.h"
#include "spaces/loopnest/sites.h"

namespace cambium::spaces::loopnest {

// This axis of a weight holds the channels, with `inner` elements per channel.
struct Cut {
  model::NodeId weight;
  std::size_t axis = 0;
  std::int64_t blocks = 1, inner = 1;
};

struct Followers {
  std::int64_t channels = 0, blocks = 1;
  std::vector<Cut> cuts;                    // the filter of the site first
  std::vector<model::NodeId> convolutions;  // that read the channels
  std::vector<model::NodeId> products;      // linear layers that read the channels
  std::vector<model::NodeId> reshapes;      // whose attributes contain the number of channels

  // Refuses NotDivisible.
  Status can_be_cut(const ConvSite& site, std::int64_t factor) const;
  // The channels of the site that remain after division by this factor, in order.
  std::vector<std::int64_t> kept(std::int64_t factor) const;
};

Result<Followers> followers_of(const model::Model& model, const ConvSite& site);

// The model in which the site, still a convolution, computes `factor` times fewer channels.
// Parameters keep their nodes and names.
Result<model::Model> narrowed(const model::Model& model, const Followers& followers,
                              std::int64_t factor);
// The origins of the smaller weights of that model.
std::vector<model::WeightOrigin> origins_of_cuts(const model::Model& model,
                                                 const Followers& followers, std::int64_t factor);

}  // namespace cambium::spaces::loopnest
