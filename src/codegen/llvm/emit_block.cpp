#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "expr/simplify.h"
#include "expr/substitute.h"
#include "program/analysis.h"
#include "program/code_size.h"

namespace cambium::codegen {

using program::BinaryFn;
using program::Scalar;
using program::ScalarKind;

namespace {

// What operations are remembered by, beside their operands.
enum class Tag : std::uint64_t { Splat, Not, And, Unary, Binary, Cast, Fma, Choose };
template <class... T>
std::vector<std::uint64_t> key(Tag tag, T... parts) {
  return {static_cast<std::uint64_t>(tag), static_cast<std::uint64_t>(parts)...};
}

bool reads_memory(Scalar s) {
  return s->buffer != nullptr || std::any_of(s->operands.begin(), s->operands.end(), reads_memory);
}

// y += select([...], value, 0.0), without an initial value of its own.
bool adds_where(const program::Body& body) {
  const Scalar s = body.value;
  return body.combine == program::Combine::Sum && body.init == nullptr &&
         s->kind == ScalarKind::Select && s->operands[0]->kind == ScalarKind::Index &&
         s->operands[2]->kind == ScalarKind::Const && is_floating(s->type) &&
         s->operands[2]->number() == 0;
}

bool is_product(Scalar s) {
  return s->kind == ScalarKind::Binary && s->binary() == BinaryFn::Mul && is_floating(s->type);
}

}  // namespace

Expr Emitter::over_loops(Expr e) {
  Expr& known = flats_[block_][{word(e)}];
  if (known == nullptr) {
    known = expr::simplify(cx_.indices(), program::over_loops(cx_, *block_, e));
  }
  return known;
}

Expr Emitter::flat(const Buffer& buffer, std::span<const Expr> indices) {
  Expr& known = flats_[block_][{word(&buffer), word(indices.data())}];
  if (known != nullptr) return known;
  const auto home = locals_.homes.find(&buffer);
  const bool is_local = home != locals_.homes.end();
  const bool in_registers = is_local && home->second.in_registers;
  known = flat_position(
      cx_, *block_, in_registers ? std::span(std::as_const(home->second.form.dims)) : buffer.dims,
      indices);
  if (is_local && home->second.inside.result != nullptr) {
    const Expr moved = expr::add(cx_.indices(), known, home->second.inside.shift);
    known = expr::simplify(cx_.indices(), moved);
  }
  return known;
}

void Emitter::block(const program::Block& block) {
  block_ = &block;
  Expr predicate = scope_.here(block.predicate);
  std::vector<Expr> conjuncts;
  program::add_conjuncts(cx_, predicate, conjuncts);
  Expr uniform = nullptr;
  Expr lanes = nullptr;
  for (Expr p : conjuncts) {
    if (p->kind == expr::Kind::Bool && !expr::truth_of(p)) return;
    Expr& part = scope_.has_lanes(p) ? lanes : uniform;
    part = part == nullptr ? p : expr::logical_and(cx_.indices(), part, p);
  }
  const auto in_lanes = [&] {
    if (lanes == nullptr) return instance(block);
    mask_ = scope_.value(lanes);
    const expr::Replacement first{scope_.lane_axis(), cx_.number(0)};
    Expr in_first = expr::substitute(cx_.indices(), lanes, std::span(&first, 1));
    in_first = expr::simplify(cx_.indices(), in_first);
    if (in_first->kind == expr::Kind::Bool && expr::truth_of(in_first)) {
      instance(block);
    } else {
      guarded(b().CreateOrReduce(mask_), [&] { instance(block); });
    }
    mask_ = nullptr;
  };
  if (uniform == nullptr) return in_lanes();
  guarded(scope_.value(uniform), in_lanes);
}

void Emitter::instance(const program::Block& block) {
  const program::Body& body = *block.body;
  const std::int64_t ahead = program::hint_of(block.annotations, program::Hint::Prefetch);
  if (ahead > 0) prefetch(block, ahead);
  const auto with = [&](Scalar value) {
    const Position target = scope_.position(flat(*body.target, body.indices));
    Value* result = combined(body, value, target);
    if (!failed()) store(body.target, target, result);
  };
  if (!adds_where(body)) return with(body.value);
  // What a sum gets outside of a condition is nothing: not even a store is made there.
  Expr condition = cx_.indices().boolean(true);
  for (Expr p : demands_of(block)) condition = expr::logical_and(cx_.indices(), condition, p);
  if (condition->kind == expr::Kind::Bool) {
    if (expr::truth_of(condition)) with(body.value->operands[1]);
  } else if (scope_.has_lanes(condition)) {
    with(body.value);
  } else {
    guarded(scope_.value(condition), [&] { with(body.value->operands[1]); });
  }
}

std::vector<Expr> Emitter::demands_of(const program::Block& block) {
  block_ = &block;
  std::vector<Expr> conjuncts, demands;
  program::add_conjuncts(cx_, over_loops(block.body->value->operands[0]->indices[0]), conjuncts);
  for (Expr p : conjuncts) {
    Expr here = scope_.here(p);
    if (here->kind == expr::Kind::Bool && expr::truth_of(here)) continue;
    if (std::find(assumed_.begin(), assumed_.end(), here) == assumed_.end())
      demands.push_back(here);
  }
  return demands;
}

// A loop around nothing but such a sum: what its condition demands and the loop does not change is
// asked once, before the loop.
void Emitter::where_it_adds(const program::Loop& loop, const std::function<void()>& body) {
  program::Stmt inner = &loop;
  std::vector<Expr> axes;
  while (const program::Loop* next = program::as_loop(inner)) {
    axes.push_back(next->axis);
    inner = next->body;
  }
  const program::Block* block = program::as_block(inner);
  if (block == nullptr || !adds_where(*block->body)) return body();
  Expr condition = nullptr;
  const std::size_t before = assumed_.size();
  for (Expr p : demands_of(*block)) {
    if (p->kind == expr::Kind::Bool) return;  // nothing is added here
    const bool changes =
        std::any_of(axes.begin(), axes.end(), [&](Expr axis) { return program::uses(p, axis); });
    if (changes || scope_.has_lanes(p)) continue;
    condition = condition == nullptr ? p : expr::logical_and(cx_.indices(), condition, p);
    assumed_.push_back(p);
  }
  if (condition == nullptr) return body();
  known_.clear();
  guarded(scope_.value(condition), body);
  known_.clear();
  assumed_.resize(before);
}

Value* Emitter::combined(const program::Body& body, Scalar by, const Position& target) {
  if (body.combine == program::Combine::Assign) return value(by);
  const BinaryFn fn = program::function_of(body.combine);
  const DType type = program::value_type(body.target->dtype);
  const bool contracts = fn == BinaryFn::Add && is_product(by);
  Value* x = contracts ? value(by->operands[0]) : nullptr;
  Value* y = value(contracts ? by->operands[1] : by);
  Value* old = load(body.target, target);
  if (body.init != nullptr) {
    Expr starts = cx_.indices().boolean(true);
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      if (body.iterators[i].kind != program::IteratorKind::Reduce) continue;
      Expr at_zero = expr::equal(cx_.indices(), block_->bindings[i], cx_.number(0));
      starts = expr::logical_and(cx_.indices(), starts, at_zero);
    }
    Value* condition = scope_.value(scope_.here(starts));
    Value* init = value(body.init);
    level_lanes(init, old);
    if (Ops::lanes_of(condition) > 1) init = splat(init), old = splat(old);
    old = ops_.choose(condition, init, old);
  }
  if (contracts) level_lanes(x, y), level_lanes(x, old), level_lanes(y, old);
  if (contracts) return ops_.multiply_add(x, y, old);
  level_lanes(old, y);
  return ops_.apply(fn, type, old, y);
}

void Emitter::prefetch(const program::Block& block, std::int64_t ahead) {
  if (running_.empty()) return;
  Expr axis = running_.back();
  for (const program::Access& access : program::accesses_of(cx_, *block.body)) {
    if (access.kind != program::Access::Kind::Read || access.indices.empty() ||
        registers_.has(access.buffer)) {
      continue;
    }
    Position position = scope_.position(flat(*access.buffer, access.indices));
    std::int64_t moved = 0;
    for (const Position::Term& term : position.terms) {
      if (term.atom == axis) moved = term.factor * ahead;
    }
    if (moved == 0) continue;
    const Buffer* buffer = memory_of(access.buffer);
    const std::int64_t bytes = size_of(buffer->dtype);
    Value* pointer = scope_.pointer(base(buffer), position, bytes);
    const std::int64_t at = (position.number + moved) * bytes;
    Value*& done = known_.load(buffer, {word(pointer), static_cast<std::uint64_t>(at / 64)});
    if (done != nullptr) continue;
    done = shifted(pointer, at);
    b().CreateIntrinsic(llvm::Intrinsic::prefetch, {b().getPtrTy()},
                        {done, b().getInt32(0), b().getInt32(3), b().getInt32(1)});
  }
}

Value* Emitter::splat(Value* scalar) {
  if (Ops::lanes_of(scalar) != 1) return scalar;
  Value*& known = known_.value(key(Tag::Splat, word(scalar), scope_.lanes()));
  if (known == nullptr) known = ops_.splat(scalar, scope_.lanes());
  return known;
}

void Emitter::level_lanes(Value*& x, Value*& y) {
  if (Ops::lanes_of(x) == Ops::lanes_of(y)) return;
  x = splat(x);
  y = splat(y);
}

Value* Emitter::value(Scalar s) {
  switch (s->kind) {
    case ScalarKind::Const:
      if (is_floating(s->type)) return Ops::number(ops_.type_of(s->type), s->number());
      return Ops::whole(ops_.type_of(s->type), s->whole());
    case ScalarKind::Index: return scope_.value(scope_.here(over_loops(s->indices[0])));
    case ScalarKind::Load: return load(s->buffer, scope_.position(flat(*s->buffer, s->indices)));
    case ScalarKind::Gather: return gather(s);
    case ScalarKind::Binary: return binary(s);
    case ScalarKind::Select: return select(s);
    case ScalarKind::Unary: {
      Value* x = value(s->operands[0]);
      Value*& known = known_.value(key(Tag::Unary, s->fn, s->operands[0]->type, word(x)));
      if (known == nullptr) known = ops_.apply(s->unary(), s->operands[0]->type, x);
      return known;
    }
    case ScalarKind::Cast: {
      const DType from = s->operands[0]->type;
      Value* x = value(s->operands[0]);
      Value*& known = known_.value(key(Tag::Cast, from, s->type, word(x)));
      if (known == nullptr) known = ops_.cast(from, s->type, x);
      return known;
    }
  }
  return nullptr;
}

// x*y + z with one rounding, or with either part negated.
Value* Emitter::contracted(Scalar product, Scalar other, bool minus_product, bool minus_other) {
  Value* x = value(product->operands[0]);
  Value* y = value(product->operands[1]);
  Value* z = value(other);
  if (minus_product) x = b().CreateFNeg(x);
  if (minus_other) z = b().CreateFNeg(z);
  level_lanes(x, y);
  level_lanes(x, z);
  level_lanes(y, z);
  Value*& known = known_.value(key(Tag::Fma, word(x), word(y), word(z)));
  if (known == nullptr) known = ops_.multiply_add(x, y, z);
  return known;
}

Value* Emitter::binary(Scalar s) {
  const Scalar left = s->operands[0];
  const Scalar right = s->operands[1];
  if (s->binary() == BinaryFn::Add && is_product(left))
    return contracted(left, right, false, false);
  if (s->binary() == BinaryFn::Add && is_product(right))
    return contracted(right, left, false, false);
  if (s->binary() == BinaryFn::Sub && is_product(left)) return contracted(left, right, false, true);
  if (s->binary() == BinaryFn::Sub && is_product(right))
    return contracted(right, left, true, false);
  Value* x = value(left);
  Value* y = value(right);
  level_lanes(x, y);
  Value*& known = known_.value(key(Tag::Binary, s->fn, left->type, word(x), word(y)));
  if (known == nullptr) known = ops_.apply(s->binary(), left->type, x, y);
  return known;
}

Value* Emitter::select(Scalar s) {
  if (s->operands[0]->kind == ScalarKind::Index) return select_by_index(s);
  Value* condition = value(s->operands[0]);
  if (Ops::lanes_of(condition) != 1) {
    return select_by_lanes(condition, s->operands[1], s->operands[2]);
  }
  if (reads_memory(s->operands[1]) || reads_memory(s->operands[2])) {
    return branch(
        condition, [&] { return value(s->operands[1]); }, [&] { return value(s->operands[2]); });
  }
  Value* x = value(s->operands[1]);
  Value* y = value(s->operands[2]);
  level_lanes(x, y);
  return ops_.choose(condition, x, y);
}

Value* Emitter::select_by_index(Scalar s) {
  const Scalar first = s->operands[1];
  const Scalar second = s->operands[2];
  Expr condition = scope_.here(over_loops(s->operands[0]->indices[0]));
  if (condition->kind == expr::Kind::Bool) return value(expr::truth_of(condition) ? first : second);
  std::vector<Expr> conjuncts;
  program::add_conjuncts(cx_, condition, conjuncts);
  Expr uniform = nullptr;
  Expr lanes = nullptr;
  for (Expr p : conjuncts) {
    Expr& part = scope_.has_lanes(p) ? lanes : uniform;
    part = part == nullptr ? p : expr::logical_and(cx_.indices(), part, p);
  }
  const auto in_lanes = [&] {
    return lanes == nullptr ? value(first) : select_by_lanes(scope_.value(lanes), first, second);
  };
  if (uniform == nullptr) return in_lanes();
  if (lanes == nullptr && first->kind == ScalarKind::Load && second->kind == ScalarKind::Const) {
    const Position position = scope_.position(flat(*first->buffer, first->indices));
    if (const auto v = load_where(uniform, first->buffer, position, value(second))) return *v;
  }
  if (lanes != nullptr || reads_memory(first) || reads_memory(second)) {
    return branch(scope_.value(uniform), in_lanes, [&] { return value(second); });
  }
  Value* x = value(first);
  Value* y = value(second);
  level_lanes(x, y);
  return ops_.choose(scope_.value(uniform), x, y);
}

Value* Emitter::select_by_lanes(Value* condition, Scalar first, Scalar second) {
  Value* const mask = mask_;
  const bool some = some_lane_;
  Value*& negated = known_.value(key(Tag::Not, word(condition)));
  if (negated == nullptr) negated = b().CreateNot(condition);
  Value* const otherwise = negated;
  const auto under = [&](Value* lanes, Scalar side) {
    if (reads_memory(side)) {
      mask_ = lanes;
      some_lane_ = false;
      if (mask != nullptr) {
        Value*& both = known_.value(key(Tag::And, word(mask), word(lanes)));
        if (both == nullptr) both = b().CreateAnd(mask, lanes);
        mask_ = both;
      }
    }
    Value* result = splat(value(side));
    mask_ = mask;
    some_lane_ = some;
    return result;
  };
  Value* x = under(condition, first);
  Value* y = under(otherwise, second);
  return ops_.choose(condition, x, y);
}

Value* Emitter::gather(Scalar s) {
  if (registers_.has(s->buffer)) {
    fail(Rejection(Reason::NotInRegisters, std::string(s->buffer->name),
                   "block '" + std::string(block_->name) + "' gathers from it"));
    return llvm::PoisonValue::get(ops_.type_of(s->type));
  }
  Value* at = b().getInt64(0);
  for (std::size_t i = 0; i < s->operands.size(); ++i) {
    Value* index = ops_.cast(s->operands[i]->type, DType::I64, value(s->operands[i]));
    Value* step = b().getInt64(static_cast<std::uint64_t>(s->buffer->dims[i]));
    level_lanes(at, index);
    level_lanes(step, at);
    at = b().CreateAdd(b().CreateMul(at, step), index);
  }
  Type* element = ops_.memory_type_of(s->buffer->dtype);
  Value* pointers = b().CreateGEP(element, base(s->buffer), at);
  if (Ops::lanes_of(at) == 1 && (mask_ == nullptr || some_lane_)) {
    const llvm::Align align(static_cast<std::uint64_t>(size_of(s->buffer->dtype)));
    return ops_.from_memory(b().CreateAlignedLoad(element, pointers, align), s->buffer->dtype);
  }
  return load_by_pointers(s->buffer, ops_.splat(pointers, scope_.lanes()));
}

Value* Emitter::branch(Value* condition, const std::function<Value*()>& first,
                       const std::function<Value*()>& second) {
  BasicBlock* yes = block_named("yes");
  BasicBlock* no = block_named("no");
  BasicBlock* after = block_named("then");
  b().CreateCondBr(condition, yes, no);
  const std::size_t before = known_.mark();
  const Registers::State state = registers_.state();
  b().SetInsertPoint(yes);
  Value* x = first();
  BasicBlock* yes_end = b().GetInsertBlock();
  llvm::Instruction* yes_last = b().CreateBr(after);
  const Registers::State changed = registers_.state();
  registers_.state() = state;
  known_.back_to(before);
  b().SetInsertPoint(no);
  Value* y = second();
  if (x != nullptr && Ops::lanes_of(y) < Ops::lanes_of(x)) {
    y = ops_.splat(y, scope_.lanes());
  } else if (x != nullptr && Ops::lanes_of(x) < Ops::lanes_of(y)) {
    const IrBuilder::InsertPointGuard guard(b());
    b().SetInsertPoint(yes_last);
    x = ops_.splat(x, scope_.lanes());
  }
  BasicBlock* no_end = b().GetInsertBlock();
  b().CreateBr(after);
  known_.back_to(before);
  b().SetInsertPoint(after);
  registers_.merge(changed, yes_end, no_end);
  if (x == nullptr) return nullptr;
  llvm::PHINode* phi = b().CreatePHI(x->getType(), 2);
  phi->addIncoming(x, yes_end);
  phi->addIncoming(y, no_end);
  return phi;
}

void Emitter::guarded(Value* condition, const std::function<void()>& body) {
  branch(
      condition,
      [&]() -> Value* {
        body();
        return nullptr;
      },
      []() -> Value* { return nullptr; });
}

}  // namespace cambium::codegen
