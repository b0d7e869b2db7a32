// An operator for readers: as one equation, as one equation per stage, as loops. Division rounds
// down, and terms count as zero where an unfolded axis is left. `cambium synth` prints these.
#pragma once

#include <span>
#include <string>

#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// y[n, co, h] = sum over r1 < Ci, r2 < k of x[n, r1, h + r2 - k/2] * w1[co, r1, r2]
std::string equation_text(const Problem& problem, const Operator& op);

// A line per stage; results between stages are z1, z2, ...
std::string stages_text(const Problem& problem, const Operator& op, std::span<const Stage> stages);

// A loop nest per stage, with its conditions.
std::string loops_text(const Problem& problem, const Operator& op, std::span<const Stage> stages);

}  // namespace cambium::spaces::coordinate
