// Checks whether a read finds its elements written, by visiting every element in every iteration of
// the loops around the reader and the writers. The verifier uses this for small programs if boxes
// do not decide: with fused loops, several writers, or layouts with divisions.
#pragma once

#include <span>

#include "program/analysis.h"
#include "program/prove.h"

namespace cambium::program {

// Only writes count that happen before the reader in the same iteration of the shared loops.
// Unknown: there are too many elements to visit.
Proof written_before(Context& cx, std::span<const Site> sites, const Site& reader,
                     const Access& access);

}  // namespace cambium::program
