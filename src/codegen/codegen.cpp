#include "codegen/codegen.h"

namespace cambium::codegen {

Result<ObjectCode> compile_kernel(program::Context& cx, const program::Program& program,
                                  const Machine& machine, const CodegenOptions& options) {
  CAMBIUM_TRY(const Backend* const backend, backend_for(machine));
  return backend->compile_kernel(cx, program, machine, options);
}

std::string version(const Machine& machine) {
  const auto backend = backend_for(machine);
  return backend.ok() ? (*backend)->version(machine) : "none";
}

}  // namespace cambium::codegen
