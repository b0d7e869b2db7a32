#include "codegen/llvm/emitter.h"

#include <algorithm>

#include "program/analysis.h"
#include "program/code_size.h"

namespace cambium::codegen {

using program::Hint;
using program::Loop;
using program::LoopKind;

Emitter::Emitter(program::Context& cx, const program::Program& program, const Machine& machine,
                 const LlvmTarget& target, llvm::Module& module)
    : cx_(cx),
      program_(program),
      machine_(machine),
      target_(target),
      module_(module),
      builder_(module.getContext()),
      ops_(builder_, machine.isa),
      scope_(cx, ops_),
      registers_(ops_),
      sites_(program::sites_of(program)) {}

void Emitter::fail(Rejection rejection) {
  if (!failure_) failure_ = std::move(rejection);
}

BasicBlock* Emitter::block_named(const char* name) {
  return BasicBlock::Create(module_.getContext(), name, now_.function);
}

Status Emitter::emit(const std::string& symbol) {
  const std::int64_t operations = program::written_operations(sites_, machine_.lanes());
  if (operations > program::kMostOperations) {
    return Rejection(Reason::CodeTooLarge, operations, program::kMostOperations);
  }
  CAMBIUM_TRY(locals_, place_locals(cx_, program_, sites_, machine_));
  Type* pointer = b().getPtrTy();
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(b().getVoidTy(), {pointer, pointer, pointer}, false),
      llvm::Function::ExternalLinkage, symbol, module_);
  BasicBlock* body = nullptr;
  begin_function(function, body);
  now_.buffers = function->getArg(0);
  now_.workspace = function->getArg(1);
  now_.parallel = function->getArg(2);
  now_.worker = b().getInt64(0);
  for (const auto& [buffer, home] : locals_.homes) {
    if (home.in_registers) registers_.add(buffer, home.form.lanes, home.form.slots());
  }
  b().SetInsertPoint(body);
  statement(program_.root);
  b().CreateRetVoid();
  if (failure_) return *failure_;
  return Ok{};
}

// An entry block for what is computed once, and a block after it that is still empty.
void Emitter::begin_function(llvm::Function* function, BasicBlock*& body) {
  target_.prepare(*function);
  now_ = Function{};
  now_.function = function;
  BasicBlock* entry = block_named("entry");
  body = block_named("body");
  b().SetInsertPoint(entry);
  scope_.enter(b().CreateBr(body));
}

void Emitter::statement(program::Stmt s) {
  if (failed()) return;
  if (const Loop* inner = program::as_loop(s)) {
    where_it_adds(*inner, [&] { loop(*inner); });
  } else if (const program::Seq* seq = program::as_seq(s)) {
    for (program::Stmt child : seq->children) statement(child);
  } else {
    block(*program::as_block(s));
  }
}

void Emitter::loop(const Loop& l) {
  if (l.extent() == 1) return copies(l, 0, 1);
  switch (l.how) {
    case LoopKind::Serial: return serial(l);
    case LoopKind::Unrolled: return copies(l, 0, l.extent());
    case LoopKind::Vectorized: return vectorized(l);
    case LoopKind::Parallel: return now_.parallel == nullptr ? serial(l) : parallel(l);
  }
}

void Emitter::copies(const Loop& l, std::int64_t from, std::int64_t to) {
  for (std::int64_t i = from; i < to && !failed(); ++i) {
    scope_.replace(l.axis, cx_.number(i));
    copies_.push_back({l.axis, i, l.extent()});
    begin_iteration(l);
    statement(l.body);
    copies_.pop_back();
  }
  scope_.restore(l.axis);
}

// Register buffers that live in the iteration hold nothing yet.
void Emitter::begin_iteration(const Loop& l) {
  for (const auto& [buffer, home] : locals_.homes) {
    if (!home.in_registers || home.loop != &l) continue;
    registers_.add(buffer, home.form.lanes, home.form.slots());
  }
}

void Emitter::vectorized(const Loop& l) {
  if (locals_.one_by_one.contains(&l)) return serial(l);
  std::int64_t begin = 0;
  for (std::int64_t lanes : chunks_of(l.extent(), machine_)) {
    if (lanes == 1) {
      copies(l, begin, begin + 1);
    } else {
      Expr lane = cx_.axis(program::fresh_loop_name(cx_, program_, "lane"), lanes);
      scope_.replace(l.axis, expr::add(cx_.indices(), lane, cx_.number(begin)));
      scope_.set_lanes(lane, lanes);
      begin_iteration(l);
      statement(l.body);
      scope_.set_lanes(nullptr, 1);
      scope_.restore(l.axis);
    }
    begin += lanes;
  }
}

// All loops run at least once, so the test stands at the end. What is computed once per iteration
// goes into the head.
void Emitter::running_loop(const Loop& l, Expr axis, Value* begin, Value* end,
                           const std::function<void()>& body) {
  BasicBlock* before = b().GetInsertBlock();
  BasicBlock* head = block_named("loop");
  BasicBlock* inside = block_named("do");
  BasicBlock* after = block_named("done");
  b().CreateBr(head);
  b().SetInsertPoint(head);
  llvm::PHINode* counter = b().CreatePHI(b().getInt64Ty(), 2);
  counter->addIncoming(begin, before);
  struct Carried {
    const Buffer* buffer;
    std::size_t slot;
    llvm::PHINode* phi;
    Value* first;
  };
  std::vector<Carried> carried;
  for (const Buffer* buffer : locals_.carried[&l]) {
    auto& slots = registers_.state().at(buffer);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      llvm::PHINode* phi = b().CreatePHI(slots[i]->getType(), 2);
      phi->addIncoming(slots[i], before);
      carried.push_back({buffer, i, phi, slots[i]});
      slots[i] = phi;
    }
  }
  scope_.enter(b().CreateBr(inside));
  scope_.bind(axis, counter);
  running_.push_back(axis);
  known_.clear();
  b().SetInsertPoint(inside);
  begin_iteration(l);
  body();
  known_.clear();
  running_.pop_back();
  scope_.unbind(axis);
  scope_.leave();
  BasicBlock* last = b().GetInsertBlock();
  Value* next = b().CreateAdd(counter, b().getInt64(1));
  counter->addIncoming(next, last);
  b().CreateCondBr(b().CreateICmpSLT(next, end), head, after);
  for (const Carried& c : carried) {
    Value*& slot = registers_.state().at(c.buffer)[c.slot];
    c.phi->addIncoming(slot, last);
    if (slot != c.phi) continue;  // changed inside
    c.phi->replaceAllUsesWith(c.first);
    c.phi->eraseFromParent();
    slot = c.first;
  }
  b().SetInsertPoint(after);
}

void Emitter::serial(const Loop& l) {
  const std::int64_t factor =
      std::clamp<std::int64_t>(program::hint_of(l.annotations, Hint::Unroll, 1), 1, l.extent());
  if (factor == 1) {
    return running_loop(l, l.axis, b().getInt64(0),
                        b().getInt64(static_cast<std::uint64_t>(l.extent())),
                        [&] { statement(l.body); });
  }
  const std::int64_t rounds = l.extent() / factor;
  if (rounds > 1) {
    const std::string name = std::string(l.name()) + ".round";
    Expr round = cx_.axis(program::fresh_loop_name(cx_, program_, name), rounds);
    Expr scaled = expr::mul(cx_.indices(), round, expr::Monomial::of(factor));
    running_loop(l, round, b().getInt64(0), b().getInt64(static_cast<std::uint64_t>(rounds)), [&] {
      for (std::int64_t i = 0; i < factor; ++i) {
        scope_.replace(l.axis, expr::add(cx_.indices(), scaled, cx_.number(i)));
        begin_iteration(l);
        statement(l.body);
      }
      scope_.restore(l.axis);
    });
  }
  copies(l, rounds > 1 ? rounds * factor : 0, l.extent());
}

}  // namespace cambium::codegen
