#include "compile/build_kernel.h"

#include "program/verify.h"

namespace cambium::compile {

Result<schedule::Schedule> ready_schedule(program::Context& cx, const program::Program& program,
                                          const schedule::Trace& trace) {
  CAMBIUM_TRY(schedule::Schedule made, schedule::replay(cx, program, trace));
  CAMBIUM_REQUIRE(program::check(cx, made.program(), program::Stage::Ready));
  return made;
}

Result<KernelCode> build_kernel(program::Context& cx, const program::Program& scheduled,
                                const Machine& machine, const std::string& symbol) {
  KernelCode made;
  made.part = split_constant_part(cx, scheduled);
  CAMBIUM_TRY(made.code, codegen::compile_kernel(cx, made.part.run, machine, {symbol}));
  return made;
}

Result<codegen::ObjectCode> build_load(program::Context& cx, const ConstantPart& part,
                                       const Machine& machine, const std::string& symbol) {
  return codegen::compile_kernel(cx, *part.load, machine, {symbol});
}

}  // namespace cambium::compile
