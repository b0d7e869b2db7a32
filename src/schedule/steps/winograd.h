// Winograd: a convolution with 3x3 windows of stride 1 is computed tile by tile with fewer products
// (schedule/steps/winograd_conv.h says of which blocks). For tiles of m x m outputs, with p, q < m
// + 2:
//
//   y[oh, ow, oc] +=             weights.rows, weights   u[p, q, oc, ic] = (G w G')[p, q]
//     x[oh + kh, ow + kw, ic]    data.rows, data         v[p, q, th, tw, ic] = (B' x B)[p, q]
//     * w[oc, ic, kh, kw]        the block               m[p, q, th, tw, oc] += v * u
//                                output.rows, output     y[oh, ow, oc] = (A' m A)[oh % m, ow % m]
//                                                          of tile [oh/m, ow/m]
// Each transform has two blocks, for one dimension after the other. A block chooses between short
// sums by position; unrolling the positions removes the choice. Dimensions have the order of x, w
// and y, with the positions before them. If the last tiles reach beyond x, zeros are read there. m
// is 2 (4 products instead of 9 per output, exact in halves) or 4 (2.25, rounds more). Makes the
// seven blocks in the order above, the products keeping the old name, then the locals in the order
// in which they are written. The same over the reals; rounding differs. Refuses UnknownName,
// NotWinograd, BadFactors (tile), BufferTooLarge, and what the verifier refuses.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct Winograd {
  static constexpr const char* kName = "winograd";
  std::string block;
  std::int64_t tile = 2;
  CAMBIUM_FIELDS(f("block", s.block), f("tile", s.tile))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
