#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/TargetSelect.h>

#include "codegen/llvm/llvm_backend.h"

namespace cambium::codegen {
namespace {

// What an ELF object says of its machine, as in elf.h.
std::string_view machine_of(std::string_view object) {
  constexpr std::size_t kMachineAt = 18;
  if (object.size() < 64 || object.substr(1, 3) != "ELF") return "";
  switch (static_cast<unsigned char>(object[kMachineAt])) {
    case 62: return "x86-64";
    case 183: return "aarch64";
    default: return "another machine";
  }
}

#if defined(__aarch64__)
constexpr std::string_view kHere = "aarch64";
#else
constexpr std::string_view kHere = "x86-64";
#endif

Status add(llvm::orc::LLJIT& jit, const ObjectCode& object) {
  CAMBIUM_REQUIRE(check_format(object, CodeFormat::Elf, "LLVM's loader"));
  const std::string_view machine = machine_of(object.bytes);
  if (!machine.empty() && machine != kHere) {
    return Rejection(Reason::ForeignMachine, std::string(machine), std::string(kHere));
  }
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object.bytes, object.symbol);
  if (llvm::Error error = jit.addObjectFile(std::move(buffer))) {
    return Rejection(Reason::CodegenFailed, llvm::toString(std::move(error)));
  }
  return Ok{};
}

// Through ORC.
class JitCode final : public LoadedCode {
 public:
  explicit JitCode(std::unique_ptr<llvm::orc::LLJIT> jit) : jit_(std::move(jit)) {}

  Result<void*> find(std::string_view symbol) override {
    auto address = jit_->lookup(llvm::StringRef(symbol.data(), symbol.size()));
    if (!address) {
      llvm::consumeError(address.takeError());
      return Rejection(Reason::SymbolMissing, std::string(symbol));
    }
    return address->toPtr<void*>();
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

}  // namespace

Result<std::unique_ptr<LoadedCode>> LlvmBackend::load(std::span<const ObjectCode> objects) const {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return Rejection(Reason::CodegenFailed, llvm::toString(jit.takeError()));
  for (const ObjectCode& object : objects) CAMBIUM_REQUIRE(add(**jit, object));
  return std::unique_ptr<LoadedCode>(std::make_unique<JitCode>(std::move(*jit)));
}

}  // namespace cambium::codegen
