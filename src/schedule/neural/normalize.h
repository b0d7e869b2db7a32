// Normalize: brings the nest of one sum of products into a form that depends only on what the nest
// computes, not on the steps that made it. Loops over digits of one number become one loop if
// possible. Loops follow the order in memory of the target, then kernel taps, then input channels,
// as lowering writes a convolution, and are named after what they count:
//   n            samples                d h w      rows and columns of the output
//   g            groups of channels     co ci      output and input channels (of a group)
//   kd kh kw     taps of the kernel
// The outermost loop of a kind has the plain name. Other loops get a number (`co.2`), and so does a
// loop whose name another nest uses. All loops become serial, without annotations. Makes the loops,
// outermost first. Neural documents use these names (schedule/recipe). Preserves what is computed.
// Refuses UnknownName, and NotAContraction (nest_contraction.h), also for loops that other blocks
// share.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct Normalize {
  static constexpr const char* kName = "normalize";
  std::string block;
  CAMBIUM_FIELDS(f("block", s.block))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
