// Checks that a read finds its elements written, by visiting every element in every iteration of
// the loops around reader and writers. The verifier decides small programs this way if boxes do not
// decide: fused loops, several writers, layouts with divisions.
#pragma once

#include <span>

#include "program/analysis.h"
#include "program/prove.h"

namespace cambium::program {

// Counts what blocks before the reader start in the same iteration of the loops that they share
// with it. Unknown: there is too much to look at.
Proof written_before(Context& cx, std::span<const Site> sites, const Site& reader,
                     const Access& access);

}  // namespace cambium::program
