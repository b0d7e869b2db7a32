// The discipline: which operators are legal for a problem. Every coordinate is consumed once on the
// way to the data or expanded, weights read each coordinate at most once, no data is discarded, all
// domains fit and are positive integers in every binding. Refusals name the primitive, the
// coordinate, the rule and the binding. Whoever reads or makes an operator calls this.
#pragma once

#include <optional>

#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

struct Violation {
  Rejection rejection;
  CoordinateIndex where = kNoCoordinate;  // none: a matter of the whole operator
};

// The first rule that is broken, in words that call the leaves by these names. The rules, beside
// those above:
// - A STRIDE goes into an UNFOLD: as its window, or as its base, where the window must then be
// plain
//   and as wide as the step in every binding.
// - An output or a half of a MERGE may be expanded by itself (up-sampling); whatever else the data
//   does not read must be read by a weight.
// - Of an UNFOLD something is read: it, a half of it, or what those make.
// - A fixed axis is read as it is, and by no weight.
std::optional<Violation> first_violation(const Problem& problem, const Operator& op,
                                         const LeafNames& names);

// As above, with derived names.
Status check(const Problem& problem, const Operator& op);

}  // namespace cambium::spaces::coordinate
