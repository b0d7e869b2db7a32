#include <chrono>

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm/emitter.h"
#include "codegen/llvm/facts.h"
#include "codegen/llvm/llvm_backend.h"
#include "codegen/llvm/target.h"

namespace cambium::codegen {

// A hash of the sources of this folder, written while building (cmake/source_hash.cmake).
extern const char* const kSources;

namespace {

// Raised by hand where the same scheduled program becomes other code through what is outside of
// this folder (expr, program, compile/constant_part.h). The folder itself is in kSources.
constexpr int kGeneration = 2;

struct Emitted {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  Workspace workspace;
  std::int64_t instructions = 0;
};

Result<Emitted> emit(program::Context& cx, const program::Program& program, const Machine& machine,
                     const LlvmTarget& target, const std::string& symbol) {
  Emitted made;
  made.context = std::make_unique<llvm::LLVMContext>();
  made.module = target.module(*made.context, std::string(program.name));
  Emitter emitter(cx, program, machine, target, *made.module);
  CAMBIUM_REQUIRE(emitter.emit(symbol));
  made.workspace = emitter.workspace();
  made.instructions = made.module->getInstructionCount();
  std::string words;
  llvm::raw_string_ostream stream(words);
  if (llvm::verifyModule(*made.module, &stream)) {
    return Rejection(Reason::CodegenFailed, "the code is not well formed: " + stream.str());
  }
  return made;
}

}  // namespace

Result<ObjectCode> LlvmBackend::compile_kernel(program::Context& cx,
                                               const program::Program& program,
                                               const Machine& machine,
                                               const CodegenOptions& options) const {
  const auto start = std::chrono::steady_clock::now();
  CAMBIUM_TRY(const LlvmTarget target, LlvmTarget::create(machine));
  CAMBIUM_TRY(Emitted made, emit(cx, program, machine, target, options.symbol));
  ObjectCode code;
  code.symbol = options.symbol;
  code.workspace = made.workspace;
  CAMBIUM_TRY(code.bytes, target.object(*made.module));
  CAMBIUM_TRY(const Disassembly facts, disassemble(code.bytes, machine, false));
  code.facts = {made.instructions, facts.code_bytes, facts.loop_spills,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
  if (options.rejects_spills && facts.loop_spills > 0) {
    return Rejection(Reason::SpillsInLoop, facts.loop_spills);
  }
  return code;
}

Result<std::string> LlvmBackend::print_ir(program::Context& cx, const program::Program& program,
                                          const Machine& machine) const {
  CAMBIUM_TRY(const LlvmTarget target, LlvmTarget::create(machine));
  CAMBIUM_TRY(const Emitted made, emit(cx, program, machine, target, "kernel"));
  std::string text;
  llvm::raw_string_ostream stream(text);
  made.module->print(stream, nullptr);
  return std::move(stream.str());
}

std::string LlvmBackend::version(const Machine&) const {
  return std::to_string(kGeneration) + "-" + kSources + "-llvm-" + LLVM_VERSION_STRING;
}

const Backend& llvm_backend() {
  static const LlvmBackend backend;
  return backend;
}

}  // namespace cambium::codegen
