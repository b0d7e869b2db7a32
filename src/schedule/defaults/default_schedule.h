// The built-in schedules of a program: what is used where no tuned one is known. Contractions get a
// register tile chosen for the machine, packed weights and fused epilogues; reductions vector
// accumulators; everything else parallel, vectorized loops. What it knows no better way for stays
// as it was lowered, made ready for code generation.
#pragma once

#include <array>
#include <string>

#include "base/machine.h"
#include "schedule/schedule.h"

namespace cambium::schedule {

// From the fastest to the simplest: where one is refused, the next serves.
enum class Default : std::uint8_t {
  Preferred,        // all rules, as they prefer
  LessUnrolled,     // less written out
  SmallCode,        // the same, and a quarter of the registers left free
  WithoutProducts,  // no register tile of a contraction: its results are a window's
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
// The first that is not refused.
Result<Schedule> default_schedule(Context& cx, const Program& program, const Machine& machine);

// The first contraction of a lowered program that a schedule of it leaves without a register tile;
// empty: there is none, or it is tiny. Rules that refuse are no refusal of the schedule, and such
// code may be a hundred times slower.
std::string untiled_contraction(const Program& program, const Trace& trace);

// The default schedule without any tiling or vector: loops as lowered, inits decomposed. An
// independent second opinion for large shapes, which the interpreter is too slow for.
Result<Schedule> plain_schedule(Context& cx, const Program& program);

}  // namespace cambium::schedule
