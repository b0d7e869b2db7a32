#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/TargetSelect.h>

#include "codegen/codegen.h"

namespace cambium::codegen {

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
