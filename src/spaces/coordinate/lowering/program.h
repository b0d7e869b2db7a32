// Writes an operator as a Program: one block per stage, with one local between two stages and no
// other buffers. Coordinates are index expressions; a select gives zero outside an unfolded axis.
// The parameters are the data "x", the weights "w1", "w2" ... as constants, and the output "y".
// Refuses buffers that a program cannot hold.
#pragma once

#include <span>
#include <string_view>

#include "program/context.h"
#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::spaces::coordinate {

Result<program::Program> program_of(program::Context& cx, std::string_view name, const Operator& op,
                                    std::span<const Stage> stages, const Extents& extents);

// With the stages that are best at this binding.
Result<program::Program> program_of(program::Context& cx, std::string_view name, const Operator& op,
                                    const expr::Binding& binding);

}  // namespace cambium::spaces::coordinate
