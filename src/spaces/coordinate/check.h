// The discipline: which operators are legal for a problem. Every coordinate is consumed once on the
// way to the data, or expanded. A weight reads each coordinate at most once. No data is discarded.
// All domains fit and are positive integers in every binding. Refusals name the primitive, the
// coordinate, the rule and the binding. Call this after reading or making an operator.
#pragma once

#include <optional>

#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

struct Violation {
  Rejection rejection;
  CoordinateIndex where = kNoCoordinate;  // none: the rule is about the whole operator
};

// The first broken rule, in a text that calls the leaves by these names. Rules besides those above:
// - A STRIDE feeds an UNFOLD: as its window, or as its base. In the second case the window must be
//   plain and at least as wide as the step in every binding.
// - An output or a half of a MERGE may be expanded by itself (up-sampling). A weight must read
//   every other coordinate that the data does not read.
// - Something must read an UNFOLD: directly, through a half of it, or through what those make.
// - A fixed axis is read as it is, and no weight reads it.
std::optional<Violation> first_violation(const Problem& problem, const Operator& op,
                                         const LeafNames& names);

// As above, with derived names.
Status check(const Problem& problem, const Operator& op);

}  // namespace cambium::spaces::coordinate
