// Checks whether the loops around a block visit each point of its iterators, and none twice. The
// bindings and the predicate are divided into groups that share no loop (an axis that was split,
// two that were fused). Each group is decided separately: by mixed-radix arithmetic if it is a sum
// of loops, or by visiting its points if it is small.
#pragma once

#include "program/context.h"
#include "program/prove.h"
#include "program/walk.h"

namespace cambium::program {

struct Coverage {
  Proof once = Proof::Yes;     // no point is visited twice
  Proof reduced = Proof::Yes;  // a spatial point that is visited sees all its reduce points
  Proof full = Proof::Yes;     // every point is visited
};

// Checks one iteration of `home` with the loops around it fixed (nullptr: the whole program). With
// a home, `full` refers to the loops inside it only, which is rarely useful.
Coverage coverage_of(Context& cx, const Site& site, const Loop* home = nullptr);

// Whether different spatial points of a body write different elements.
Proof writes_apart(Context& cx, const Body& body);
// The same for the points that one iteration of `home` visits. A local that lives there may have
// fewer elements than there are points: t[p % 6] for tiles of 6.
Proof writes_apart(Context& cx, const Site& site, const Loop* home);

}  // namespace cambium::program
