// An operator as text for readers: one equation, one equation per stage, or loops. Division rounds
// down, and terms outside an unfolded axis count as zero. `cambium synth` prints these texts.
#pragma once

#include <span>
#include <string>

#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// y[n, co, h] = sum over r1 < Ci, r2 < k of x[n, r1, h + r2 - k/2] * w1[co, r1, r2]
std::string equation_text(const Problem& problem, const Operator& op);

// One line per stage. Results between stages are z1, z2, ...
std::string stages_text(const Problem& problem, const Operator& op, std::span<const Stage> stages);

// One loop nest per stage, with its conditions.
std::string loops_text(const Problem& problem, const Operator& op, std::span<const Stage> stages);

}  // namespace cambium::spaces::coordinate
