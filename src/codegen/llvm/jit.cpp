#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/TargetSelect.h>

#include "codegen/codegen.h"

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

}  // namespace

struct Jit::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Jit::Jit(std::unique_ptr<State> state) : state_(std::move(state)) {}
Jit::Jit(Jit&&) noexcept = default;
Jit& Jit::operator=(Jit&&) noexcept = default;
Jit::~Jit() = default;

Result<Jit> Jit::create() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return Rejection(Reason::CodegenFailed, llvm::toString(jit.takeError()));
  auto state = std::make_unique<State>();
  state->jit = std::move(*jit);
  return Jit(std::move(state));
}

Status Jit::add(const ObjectCode& object) {
  const std::string_view machine = machine_of(object.bytes);
  if (!machine.empty() && machine != kHere) {
    return Rejection(Reason::ForeignMachine, std::string(machine), std::string(kHere));
  }
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object.bytes, object.symbol);
  if (llvm::Error error = state_->jit->addObjectFile(std::move(buffer))) {
    return Rejection(Reason::CodegenFailed, llvm::toString(std::move(error)));
  }
  return Ok{};
}

Result<void*> Jit::find(std::string_view symbol) {
  auto address = state_->jit->lookup(llvm::StringRef(symbol.data(), symbol.size()));
  if (!address) {
    llvm::consumeError(address.takeError());
    return Rejection(Reason::SymbolMissing, std::string(symbol));
  }
  return address->toPtr<void*>();
}

}  // namespace cambium::codegen
