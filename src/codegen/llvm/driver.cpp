#include <algorithm>
#include <chrono>

#include "codegen/llvm/facts.h"
#include "codegen/llvm/ir.h"
#include "codegen/llvm/llvm_backend.h"
#include "codegen/llvm/target.h"

namespace cambium::codegen {
namespace {

constexpr std::int64_t kAlignment = 64;

// The parameters of a driver, by number.
enum Parameter : unsigned { kInputs, kOutputs, kWeights, kWorkspace, kParallel };

Value* shifted(IrBuilder& b, Value* pointer, std::int64_t bytes) {
  return b.CreateGEP(b.getInt8Ty(), pointer, b.getInt64(static_cast<std::uint64_t>(bytes)));
}

Value* address_of(IrBuilder& b, llvm::Function& function, const Place& place) {
  const auto from_list = [&](unsigned parameter) {
    Value* slot = shifted(b, function.getArg(parameter), place.index * 8);
    return b.CreateLoad(b.getPtrTy(), slot);
  };
  Value* base = nullptr;
  switch (place.base) {
    case Place::Base::Input: base = from_list(kInputs); break;
    case Place::Base::Output: base = from_list(kOutputs); break;
    case Place::Base::Weights: base = function.getArg(kWeights); break;
    case Place::Base::Plan: base = function.getArg(kWorkspace); break;
  }
  return shifted(b, base, place.offset);
}

}  // namespace

Result<ObjectCode> LlvmBackend::compile_driver(const Driver& driver, const Machine& machine) const {
  const auto start = std::chrono::steady_clock::now();
  CAMBIUM_TRY(const LlvmTarget target, LlvmTarget::create(machine));
  llvm::LLVMContext context;
  const auto module = target.module(context, driver.symbol);
  IrBuilder b(context);
  Type* pointer = b.getPtrTy();
  const std::vector<Type*> parameters(5, pointer);
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(b.getInt32Ty(), parameters, false),
                             llvm::Function::ExternalLinkage, driver.symbol, *module);
  target.prepare(*function);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  std::size_t most = 1;
  for (const DriverCall& call : driver.calls) most = std::max(most, call.buffers.size());
  Type* list = llvm::ArrayType::get(pointer, most);
  Value* buffers = b.CreateAlloca(list);
  const std::int64_t plan = (driver.plan_bytes + kAlignment - 1) / kAlignment * kAlignment;
  Value* workspace = shifted(b, function->getArg(kWorkspace), plan);
  auto* kernel = llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer}, false);
  for (const DriverCall& call : driver.calls) {
    for (std::size_t i = 0; i < call.buffers.size(); ++i) {
      b.CreateStore(address_of(b, *function, call.buffers[i]),
                    shifted(b, buffers, static_cast<std::int64_t>(8 * i)));
    }
    b.CreateCall(module->getOrInsertFunction(call.symbol, kernel),
                 {buffers, workspace, function->getArg(kParallel)});
  }
  b.CreateRet(b.getInt32(0));
  ObjectCode code;
  code.symbol = driver.symbol;
  code.workspace.shared_bytes = plan;
  code.facts.ir_instructions = module->getInstructionCount();
  CAMBIUM_TRY(code.bytes, target.object(*module));
  CAMBIUM_TRY(const Disassembly facts, disassemble(code.bytes, machine, false));
  code.facts.code_bytes = facts.code_bytes;
  code.facts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return code;
}

}  // namespace cambium::codegen
