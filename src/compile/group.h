// The program of a fusion group. Compiling, tuning and showing a model all start from it, so they
// see the same program. A nest that the loop-nest space rewrote (lower/nest_form.h) is lowered as
// in the original, and its recipe is replayed here. The program then holds the rewritten nest and
// the nodes that follow it in the group. Refuses what lowering and replaying refuse, and NotLowered
// if a recipe makes other weights or results than the model has.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "lower/layout.h"
#include "model/model.h"
#include "program/context.h"
#include "schedule/trace/schedule.h"

namespace cambium::compile {

// How a recipe made a program: the neural half of its trace.
struct Rewriting {
  program::Program original;  // lowered, with the convolution of the original
  schedule::Trace trace;      // replays on it
};

// The trace from `original` to a scheduled kernel: the recipe, then the loop half. The loop half
// refers to the rewritten program under canonical names (program/canonical.h).
schedule::Trace joined(const Rewriting& rewriting, const schedule::Trace& loop_half);

struct GroupProgram {
  program::Program program;
  std::vector<model::Value> operands;  // of each parameter
  std::optional<Rewriting> rewriting;  // nothing: the program is as lowered
};

Result<GroupProgram> lower_group(program::Context& cx, const model::Model& model,
                                 std::span<const model::NodeId> nodes,
                                 const lower::Layouts& layouts);

}  // namespace cambium::compile
