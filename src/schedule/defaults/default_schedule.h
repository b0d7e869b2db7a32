// The built-in schedule of a program: what is used where no tuned one is known. Contractions get a
// register tile chosen for the machine, packed weights and fused epilogues; reductions vector
// accumulators; everything else parallel, vectorized loops. What it knows no better way for stays
// as it was lowered, made ready for code generation.
#pragma once

#include "base/machine.h"
#include "schedule/schedule.h"

namespace cambium::schedule {

// The result is Ready (program/verify.h). Refuses programs that break Stage::Lowered, and what the
// verifier cannot prove of the result; plain_schedule then serves.
Result<Schedule> default_schedule(Context& cx, const Program& program, const Machine& machine);

// The same without any tiling or vector: loops as lowered, inits decomposed. An independent second
// opinion for large shapes, which the interpreter is too slow for.
Result<Schedule> plain_schedule(Context& cx, const Program& program);

}  // namespace cambium::schedule
