// SetLayout: changes the memory order of a local. `dims` are expressions over its dimensions d0, d1
// ...; their values are the new indices of element [d0, d1]. Each new dimension is as long as its
// largest value requires:
//   set_layout(w.packed, ["d1 / 64", "d0", "d1 % 64"])   panels of 64 columns
//   set_layout(t, ["d0", "14*d1 + d2", "d3"])            two dimensions merged
// Indices are simplified. Refuses UnknownName, NotLocal, BadLayout (does not parse, is too large,
// or two elements would meet), NotProved.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct SetLayout {
  static constexpr const char* kName = "set_layout";
  std::string buffer;
  Names dims;
  CAMBIUM_FIELDS(f("buffer", s.buffer), f("dims", s.dims))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
