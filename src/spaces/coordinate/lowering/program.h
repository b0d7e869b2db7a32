// An operator as a Program: one block per stage, a local between them, nothing else materialized.
// Coordinates are index expressions, and what lies outside of an unfolded axis is zero by a select.
// Parameters are the data "x", the weights "w1", "w2" ... as constants, and the output "y". Refuses
// buffers that programs do not hold.
#pragma once

#include <span>
#include <string_view>

#include "program/context.h"
#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::spaces::coordinate {

Result<program::Program> program_of(program::Context& cx, std::string_view name, const Operator& op,
                                    std::span<const Stage> stages, const Extents& extents);

// In the stages that are best at this binding.
Result<program::Program> program_of(program::Context& cx, std::string_view name, const Operator& op,
                                    const expr::Binding& binding);

}  // namespace cambium::spaces::coordinate
