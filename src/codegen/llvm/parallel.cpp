#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "program/code_size.h"

namespace cambium::codegen {

using program::Hint;
using program::Loop;

// The body becomes a function of its own: it finds the buffers, the workspace and the variables of
// the loops around it in a struct on the stack of the caller.
void Emitter::parallel(const Loop& l) {
  std::vector<Expr> axes(running_.begin(), running_.end());
  std::vector<Type*> fields{b().getPtrTy(), b().getPtrTy()};
  fields.resize(2 + axes.size(), b().getInt64Ty());
  auto* shared = llvm::StructType::get(module_.getContext(), fields);
  Value* context = nullptr;
  {
    const IrBuilder::InsertPointGuard guard(b());
    b().SetInsertPoint(scope_.frame().levels[0].head);
    context = b().CreateAlloca(shared);
  }
  b().CreateStore(now_.buffers, b().CreateStructGEP(shared, context, 0));
  b().CreateStore(now_.workspace, b().CreateStructGEP(shared, context, 1));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    b().CreateStore(scope_.value(axes[i]),
                    b().CreateStructGEP(shared, context, static_cast<unsigned>(i + 2)));
  }
  run_task(task(l, shared, axes), l, context);
  known_.clear();
}

llvm::Function* Emitter::task(const Loop& l, llvm::StructType* shared,
                              const std::vector<Expr>& axes) {
  const IrBuilder::InsertPointGuard guard(b());
  Type* i64 = b().getInt64Ty();
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(b().getVoidTy(), {b().getPtrTy(), i64, i64, i64}, false),
      llvm::Function::InternalLinkage, "task", module_);
  Function outer = std::move(now_);
  Scope::Frame outer_frame = std::move(scope_.frame());
  const std::vector<Expr> outer_running = std::move(running_);
  scope_.frame() = Scope::Frame{};
  running_.clear();
  const Registers::State outer_state = registers_.state();
  known_.clear();
  BasicBlock* body = nullptr;
  begin_function(function, body);
  b().SetInsertPoint(scope_.frame().levels[0].head);
  const auto field = [&](std::size_t i, Type* type) {
    return b().CreateLoad(
        type, b().CreateStructGEP(shared, function->getArg(0), static_cast<unsigned>(i)));
  };
  now_.buffers = field(0, b().getPtrTy());
  now_.workspace = field(1, b().getPtrTy());
  now_.worker = function->getArg(3);
  for (std::size_t i = 0; i < axes.size(); ++i) scope_.bind(axes[i], field(i + 2, i64));
  b().SetInsertPoint(body);
  BasicBlock* work = block_named("work");
  BasicBlock* nothing = block_named("nothing");
  b().CreateCondBr(b().CreateICmpSLT(function->getArg(1), function->getArg(2)), work, nothing);
  b().SetInsertPoint(work);
  running_loop(l, l.axis, function->getArg(1), function->getArg(2), [&] { statement(l.body); });
  b().CreateBr(nothing);
  b().SetInsertPoint(nothing);
  b().CreateRetVoid();
  now_ = std::move(outer);
  scope_.frame() = std::move(outer_frame);
  running_ = outer_running;
  registers_.state() = outer_state;
  return function;
}

void Emitter::run_task(llvm::Function* function, const Loop& l, Value* context) {
  Type* pointer = b().getPtrTy();
  Type* i64 = b().getInt64Ty();
  Value* n = b().getInt64(static_cast<std::uint64_t>(l.extent()));
  BasicBlock* alone = block_named("alone");
  BasicBlock* together = block_named("together");
  BasicBlock* after = block_named("after");
  b().CreateCondBr(b().CreateIsNull(now_.parallel), alone, together);
  b().SetInsertPoint(alone);
  b().CreateCall(function, {context, b().getInt64(0), n, b().getInt64(0)});
  b().CreateBr(after);
  b().SetInsertPoint(together);
  auto* type = llvm::StructType::get(module_.getContext(), {pointer, pointer, i64});
  const auto field = [&](unsigned i, Type* of) {
    return b().CreateLoad(of, b().CreateStructGEP(type, now_.parallel, i));
  };
  Value* grain = b().getInt64(static_cast<std::uint64_t>(
      std::max<std::int64_t>(program::hint_of(l.annotations, Hint::Grain, 1), 1)));
  if (program::hint_of(l.annotations, Hint::Grain) <=
      0) {  // a few pieces per worker even out their speed
    Value* pieces = b().CreateMul(field(2, i64), b().getInt64(4));
    grain = b().CreateSDiv(b().CreateAdd(n, b().CreateSub(pieces, b().getInt64(1))), pieces);
  }
  auto* run =
      llvm::FunctionType::get(b().getVoidTy(), {pointer, i64, i64, pointer, pointer}, false);
  b().CreateCall(run, field(0, pointer), {field(1, pointer), n, grain, function, context});
  b().CreateBr(after);
  b().SetInsertPoint(after);
}

}  // namespace cambium::codegen
