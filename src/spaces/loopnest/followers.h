// Followers: what must become narrower when a convolution computes fewer output channels, as an
// output bottleneck makes it. The channels pass element-wise operators, batch norms, pooling and
// biases, and end in the weights of convolutions and linear layers, which then read fewer. Refuses
// (ChangesInterface), with the node, where the channels meet something that must keep them: another
// activation that is added or multiplied, a Concat, an output of the model, a site that was
// rewritten before, a weight that others read too.
//
// Which channels stay: the first of each of `blocks` equal blocks. A convolution in groups, here or
// behind, has a whole number of blocks in each group, so that every group is cut equally.
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

// Along this axis of a weight lie channels, `inner` elements for each.
struct Cut {
  model::NodeId weight;
  std::size_t axis = 0;
  std::int64_t blocks = 1, inner = 1;
};

struct Followers {
  std::int64_t channels = 0, blocks = 1;
  std::vector<Cut> cuts;                    // the filter of the site first
  std::vector<model::NodeId> convolutions;  // that read the channels
  std::vector<model::NodeId> products;      // linear layers that do
  std::vector<model::NodeId> reshapes;      // that write out the number of channels

  // Refuses NotDivisible.
  Status can_be_cut(const ConvSite& site, std::int64_t factor) const;
  // Channels of the site, in order, that are left by this factor.
  std::vector<std::int64_t> kept(std::int64_t factor) const;
};

Result<Followers> followers_of(const model::Model& model, const ConvSite& site);

// The model in which the site, still a convolution, computes so many times fewer channels.
// Parameters keep their nodes and names.
Result<model::Model> narrowed(const model::Model& model, const Followers& followers,
                              std::int64_t factor);
// Where the smaller weights of that model start from.
std::vector<model::WeightOrigin> origins_of_cuts(const model::Model& model,
                                                 const Followers& followers, std::int64_t factor);

}  // namespace cambium::spaces::loopnest
