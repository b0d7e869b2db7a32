#include "codegen/llvm/target.h"

#include <mutex>

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "codegen/llvm/ir.h"

namespace cambium::codegen {

// The scheduler before register allocation hoists loads until tiles that fill the registers spill;
// code comes out as it was written instead. The options are global to the process.
void set_up_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllDisassemblers();
    const char* options[] = {"cambium", "-enable-misched=0", "-pre-RA-sched=source"};
    llvm::cl::ParseCommandLineOptions(3, options, "", &llvm::nulls());
  });
}

LlvmTarget::LlvmTarget(std::unique_ptr<llvm::TargetMachine> target, Isa isa)
    : target_(std::move(target)), isa_(isa) {}
LlvmTarget::LlvmTarget(LlvmTarget&&) noexcept = default;
LlvmTarget::~LlvmTarget() = default;

Result<LlvmTarget> LlvmTarget::create(const Machine& machine) {
  set_up_llvm();
  const llvm::Triple triple(machine.triple);
  std::string error;
#if LLVM_VERSION_MAJOR >= 22
  const llvm::Triple& name = triple;
#else
  const std::string& name = triple.str();
#endif
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(name, error);
  if (target == nullptr) return Rejection(Reason::CodegenFailed, error);
  std::unique_ptr<llvm::TargetMachine> made(
      target->createTargetMachine(name, machine.cpu, machine.features, llvm::TargetOptions(),
                                  llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (made == nullptr || !made->getMCSubtargetInfo()->isCPUStringValid(machine.cpu)) {
    return Rejection(Reason::CodegenFailed,
                     "processor '" + machine.cpu + "' of " + triple.str() + " is not known");
  }
  return LlvmTarget(std::move(made), machine.isa);
}

std::unique_ptr<llvm::Module> LlvmTarget::module(llvm::LLVMContext& context,
                                                 const std::string& name) const {
  auto module = std::make_unique<llvm::Module>(name, context);
#if LLVM_VERSION_MAJOR >= 21
  module->setTargetTriple(target_->getTargetTriple());
#else
  module->setTargetTriple(target_->getTargetTriple().str());
#endif
  module->setDataLayout(target_->createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  return module;
}

void LlvmTarget::prepare(llvm::Function& function) const {
  function.addFnAttr("target-cpu", target_->getTargetCPU());
  function.addFnAttr("target-features", target_->getTargetFeatureString());
  function.addFnAttr("no-builtins");
  function.addFnAttr(llvm::Attribute::NoUnwind);
  if (isa_ == Isa::Avx512) {
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
  }
}

Result<std::string> LlvmTarget::object(llvm::Module& module) const {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (target_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return Rejection(Reason::CodegenFailed, "no object code for this target");
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace cambium::codegen
