// Tuned schedules for compiling: the best of a database for the program, the machine, the number of
// threads and the code generator. Refuses NotFound if there is no database, and what opening it
// refuses. Called by everything that makes native code.
#pragma once

#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "compile/compile.h"

namespace cambium::engine {

// An empty path: a source that knows no schedule. A record whose trace cannot be read is skipped. A
// trace that no longer makes the program that was timed gives way to the next best; if all do, the
// rules schedule the program again with the decisions of the best.
Result<compile::ScheduleSource> schedules_from(const std::string& db, const Machine& machine,
                                               int threads);

}  // namespace cambium::engine
