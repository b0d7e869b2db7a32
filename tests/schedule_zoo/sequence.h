// Random sequences of preserving steps on a schedule, each step judged by the interpreter. For the
// randomized tests of schedules over the zoo.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "program/interpret.h"
#include "schedule/trace/schedule.h"

namespace cambium {

struct StepCount {
  std::uint64_t accepted = 0, refused = 0;
};
using StepCounts = std::map<std::string, StepCount>;  // by name of the step

// Small whole numbers for everything that the program reads, so that sums and products are exact
// whatever their order; vectors and scalars positive, because variances are among them.
std::vector<program::Array> whole_arguments(const program::Program& program, std::uint64_t seed);

// Applies up to a dozen random steps. After each accepted one the program must satisfy the rules of
// Stage::Scheduled and compute what it did: exactly if it only adds, multiplies, compares and
// chooses, otherwise in double precision up to 1e-9 of the largest result. At the end the text of
// the trace must replay on `origin`, where it began, to the same program. Gives what went wrong, or
// nothing.
std::string apply_random_steps(schedule::Schedule& schedule, const program::Program& origin,
                               std::span<const program::Array> arguments, std::uint64_t seed,
                               StepCounts& counts);

// Gives every reduction that still has one an init block of its own, around the outermost loop that
// allows it. What no loop allows is left.
void decompose_inits(schedule::Schedule& schedule);

// How many sequences were asked for: CAMBIUM_PROPERTY_CASES, or `usual`.
std::uint64_t sequences_asked(std::uint64_t usual);

}  // namespace cambium
