// The back-end for CPUs. LLVM makes ELF objects, and its ORC JIT loads them into this process.
#pragma once

#include "codegen/codegen.h"

namespace cambium::codegen {

class LlvmBackend final : public Backend {
 public:
  std::string_view name() const override { return "llvm"; }
  std::string version(const Machine& machine) const override;
  Result<ObjectCode> compile_kernel(program::Context& cx, const program::Program& program,
                                    const Machine& machine,
                                    const CodegenOptions& options) const override;
  Result<ObjectCode> compile_driver(const Driver& driver, const Machine& machine) const override;
  Result<std::string> print_ir(program::Context& cx, const program::Program& program,
                               const Machine& machine) const override;
  Result<std::string> print_assembly(const ObjectCode& object,
                                     const Machine& machine) const override;
  Result<std::unique_ptr<LoadedCode>> load(std::span<const ObjectCode> objects) const override;
};

const Backend& llvm_backend();

}  // namespace cambium::codegen
