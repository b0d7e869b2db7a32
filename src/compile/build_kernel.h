// How a scheduled program becomes native code. The tuner, the compiler, `inspect` and `why` all
// build kernels here, so a candidate is timed as exactly the code that compiling makes. Whatever
// depends on constants alone is split off and runs once. Refuses what replaying, verifying and code
// generation refuse.
#pragma once

#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "codegen/codegen.h"
#include "compile/constant_part.h"
#include "schedule/trace/schedule.h"

namespace cambium::compile {

// Replays a trace and verifies that code can be made from the result: it is Ready
// (program/verify.h).
Result<schedule::Schedule> ready_schedule(program::Context& cx, const program::Program& program,
                                          const schedule::Trace& trace);

struct KernelCode {
  ConstantPart part;
  codegen::ObjectCode code;  // of part.run
};

// `scheduled` is Ready.
Result<KernelCode> build_kernel(program::Context& cx, const program::Program& scheduled,
                                const Machine& machine, const std::string& symbol);

// Compiles the load program of a kernel that has one. This is a separate step, because many kernels
// may share a load program, and because it is not needed if the code does not run on this machine.
Result<codegen::ObjectCode> build_load(program::Context& cx, const ConstantPart& part,
                                       const Machine& machine, const std::string& symbol);

}  // namespace cambium::compile
