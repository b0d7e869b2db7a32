// The built-in schedules of a program, used if no tuned schedule is known. Contractions get a
// register tile chosen for the machine, packed weights and fused epilogues. Reductions get vector
// accumulators. Everything else gets parallel, vectorized loops. Blocks without a better schedule
// stay as lowered, made ready for code generation.
#pragma once

#include <array>
#include <string>

#include "base/machine.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {

// From the fastest to the simplest. If one is refused, the next is used.
enum class Default : std::uint8_t {
  Preferred,        // all rules with their preferred decisions
  LessUnrolled,     // less unrolling
  SmallCode,        // the same, with a quarter of the registers unused
  WithoutProducts,  // no register tiles of contractions; they are tiled like windows
  VectorLoops,      // no register tile at all
  Plain,            // loops as lowered
};
inline constexpr std::array kDefaults{Default::Preferred,   Default::LessUnrolled,
                                      Default::SmallCode,   Default::WithoutProducts,
                                      Default::VectorLoops, Default::Plain};
std::string_view name_of(Default which);  // "the preferred schedule"
bool has_tiles(Default which);            // of contractions, in registers

// The result is Ready (program/verify.h). Refuses programs that break Stage::Lowered, what the
// verifier cannot prove of the result, and CodeTooLarge.
Result<Schedule> default_schedule(Context& cx, const Program& program, const Machine& machine,
                                  Default which);
// The first default schedule that is not refused.
Result<Schedule> default_schedule(Context& cx, const Program& program, const Machine& machine);

// The first contraction of a lowered program that its schedule leaves without a register tile.
// Empty: there is none, or it is tiny. This happens because a schedule is not refused when one of
// its rules refuses. Such code may be a hundred times slower.
std::string untiled_contraction(const Program& program, const Trace& trace);

// The default schedule without any tiling or vector: loops as lowered, inits decomposed. An
// independent second opinion for large shapes, which the interpreter is too slow for.
Result<Schedule> plain_schedule(Context& cx, const Program& program);

}  // namespace cambium::schedule
