// Schedules that tuning found, for compiling: the best of a database under the program, the
// machine, the number of threads and the code generator. Refuses NotFound for a database that is
// not there, and what opening it refuses. Called by everything that makes native code.
#pragma once

#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "compile/compile.h"
#include "schedule/schedule.h"

namespace cambium::engine {

// An empty path: a source that knows none. A trace of the database that cannot be read counts as
// none; one that no longer makes the program that was timed gives way to the next best, and where
// there is none, to what the rules make of its decisions now.
Result<compile::ScheduleSource> schedules_from(const std::string& db, const Machine& machine,
                                               int threads);

// What compiling makes of one program, which is found by compiling it: whether a schedule serves,
// code generation decides. In a build without code generation, the first default schedule.
Result<schedule::Schedule> schedule_of(program::Context& cx, const program::Program& program,
                                       const Machine& machine,
                                       const compile::ScheduleSource& source);

}  // namespace cambium::engine
