// LlvmTarget: LLVM's target machine for a Machine. It turns a finished module into object code and
// disassembles object code. Refuses CodegenFailed for a triple or processor that LLVM does not
// know.
#pragma once

#include <memory>
#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "codegen/codegen.h"

namespace llvm {
class Function;
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace cambium::codegen {

class LlvmTarget {
 public:
  static Result<LlvmTarget> create(const Machine& machine);
  LlvmTarget(LlvmTarget&&) noexcept;
  ~LlvmTarget();

  std::unique_ptr<llvm::Module> module(llvm::LLVMContext& context, const std::string& name) const;
  // The attributes that say which instructions a function may use.
  void prepare(llvm::Function& function) const;
  // An ELF object; the module is used up.
  Result<std::string> object(llvm::Module& module) const;

 private:
  LlvmTarget(std::unique_ptr<llvm::TargetMachine> target, Isa isa);

  std::unique_ptr<llvm::TargetMachine> target_;
  Isa isa_;
};

// LLVM's targets and options, once per process; call this before asking LLVM for a target.
void set_up_llvm();

}  // namespace cambium::codegen
