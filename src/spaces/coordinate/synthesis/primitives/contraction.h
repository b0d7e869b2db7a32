// CONTRACTION. Up: one weight reads a set of coordinates; those that the data do not read leave the
// data. Down: a tensor contraction with a weight. What a weight may read is said in weights.h: any
// set, so that depthwise weights (all shared) and per-channel scales (one axis) are among them.
#pragma once

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

extern const Primitive kContraction;

}  // namespace cambium::spaces::coordinate::synthesis
