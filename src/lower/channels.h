// Channels and biases of convolutions, plain and transposed.
#pragma once

#include <vector>

#include "lower/emit.h"

namespace cambium::lower {

// The iterators of channels. Without groups, input and output channels have one iterator each. If
// each channel has a filter of its own, they share one. Otherwise they have the group and the place
// within the group.
struct Channels {
  std::int64_t groups, ins, outs;  // ins and outs per group
  bool apart;                      // groups = channels = filters

  Channels(std::int64_t groups_, std::int64_t channels, std::int64_t filters)
      : groups(groups_),
        ins(channels / groups_),
        outs(filters / groups_),
        apart(groups_ > 1 && groups_ == channels && groups_ == filters) {}

  std::vector<Range> iterators() const {
    if (apart) return {program::spatial("c", groups)};
    if (groups == 1) return {program::spatial("oc", outs)};
    return {program::spatial("g", groups), program::spatial("oc", outs)};
  }
  std::size_t count() const { return groups == 1 || apart ? 1 : 2; }
  bool sums() const { return groups == 1 || ins > 1; }

  // Channel numbers from the iterators and the reduce iterator `ic` (null: there is none).
  Ix in(At its, const Ix* ic) const {
    if (groups == 1) return *ic;
    return ic == nullptr ? its[0] : its[0] * ins + *ic;
  }
  Ix out(At its) const { return count() == 1 ? its[0] : its[0] * outs + its[1]; }
  Ix out_in_group(const Site& site, At its) const {
    return apart ? site.index(0) : its[count() - 1];
  }
  Ix in_in_group(const Site& site, const Ix* ic) const {
    return ic == nullptr ? site.index(0) : *ic;
  }
};

// Adds the bias to the sum, or only rounds the sum, or does nothing.
void finish_sum(Site& site, const Place& acc);

}  // namespace cambium::lower
