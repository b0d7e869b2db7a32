#include "codegen/llvm/scope.h"

#include <algorithm>

#include "base/check.h"
#include "expr/simplify.h"
#include "expr/substitute.h"
#include "program/analysis.h"

namespace cambium::codegen {
namespace {

using expr::Kind;

std::int64_t number_of(Expr e) {
  return expr::value_of(e).factor;
}

// Whether the expression and all its parts fit 32 bits.
bool is_narrow(Expr e) {
  if (!expr::is_predicate(e) && (e->range.lo < -(1 << 30) || e->range.hi > (1 << 30))) return false;
  if (expr::info(e->kind).operands == 0) return true;
  return is_narrow(e->a) && (e->b == nullptr || is_narrow(e->b));
}

}  // namespace

bool Position::is_contiguous() const {
  if (lanes.empty() || varying != nullptr) return false;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

void Scope::replace(Expr axis, Expr by) {
  replaced_[axis] = by;
  here_.clear();
}

void Scope::restore(Expr axis) {
  replaced_.erase(axis);
  here_.clear();
}

void Scope::set_lanes(Expr axis, std::int64_t lanes) {
  lane_axis_ = axis;
  lanes_ = lanes;
}

bool Scope::has_lanes(Expr e) const {
  return lane_axis_ != nullptr && program::uses(e, lane_axis_);
}

Expr Scope::here(Expr e) {
  const auto known = here_.find(e);
  if (known != here_.end()) return known->second;
  std::vector<expr::Replacement> replacements;
  for (Expr axis : program::axes_of(e)) {
    const auto found = replaced_.find(axis);
    if (found != replaced_.end()) replacements.push_back({axis, found->second});
  }
  Expr result = e;
  if (!replacements.empty()) result = expr::substitute(cx_.indices(), e, replacements);
  result = expr::simplify(cx_.indices(), result);
  here_.emplace(e, result);
  return result;
}

std::size_t Scope::level_of(Expr e) const {
  if (e->kind == Kind::Axis) {
    const auto found = frame_.axes.find(e);
    return found == frame_.axes.end() ? 0 : found->second.level;
  }
  if (expr::info(e->kind).operands == 0) return 0;
  const std::size_t a = level_of(e->a);
  return e->b == nullptr ? a : std::max(a, level_of(e->b));
}

Value* Scope::value(Expr e) {
  if (!has_lanes(e)) return scalar(e);
  if (expr::is_predicate(e)) return vector(e, is_narrow(e) ? 32 : 64);
  return vector(e, 64);
}

Value* Scope::scalar(Expr e) {
  IrBuilder& b = ops_.b();
  if (e->kind == Kind::Const) return b.getInt64(static_cast<std::uint64_t>(number_of(e)));
  if (e->kind == Kind::Bool) return b.getInt1(expr::truth_of(e));
  if (e->kind == Kind::Axis) {
    const auto found = frame_.axes.find(e);
    CAMBIUM_CHECK(found != frame_.axes.end(), "an axis that no loop around this place has");
    return found->second.value;
  }
  Level& level = frame_.levels[level_of(e)];
  const auto known = level.known.find({word(e)});
  if (known != level.known.end()) return known->second;
  Value* x = scalar(e->a);
  Value* y = e->b == nullptr ? nullptr : scalar(e->b);
  const IrBuilder::InsertPointGuard guard(b);
  b.SetInsertPoint(level.head);
  Value* result = compute(e, x, y);
  level.known[{word(e)}] = result;
  return result;
}

Value* Scope::vector(Expr e, unsigned bits) {
  IrBuilder& b = ops_.b();
  Level& level = frame_.levels[level_of(e)];
  const std::vector<std::uint64_t> key{word(e), bits, static_cast<std::uint64_t>(lanes_)};
  const auto known = level.known.find(key);
  if (known != level.known.end()) return known->second;
  Value* result = nullptr;
  if (!has_lanes(e)) {
    Value* one = scalar(e);
    const IrBuilder::InsertPointGuard guard(b);
    b.SetInsertPoint(level.head);
    if (!expr::is_predicate(e)) one = b.CreateTrunc(one, b.getIntNTy(bits));
    result = ops_.splat(one, lanes_);
  } else if (e->kind == Kind::Axis) {
    std::vector<llvm::Constant*> steps;
    for (std::int64_t i = 0; i < lanes_; ++i) {
      steps.push_back(b.getIntN(bits, static_cast<std::uint64_t>(i)));
    }
    result = llvm::ConstantVector::get(steps);
  } else {
    Value* x = vector(e->a, bits);
    Value* y = e->b == nullptr ? nullptr : vector(e->b, bits);
    const IrBuilder::InsertPointGuard guard(b);
    b.SetInsertPoint(level.head);
    result = compute(e, x, y);
  }
  level.known[key] = result;
  return result;
}

// Rounding toward minus infinity; the divisor is a positive number.
Value* Scope::divide(Expr e, Value* x) {
  IrBuilder& b = ops_.b();
  const bool is_div = e->kind == Kind::Div;
  Value* by = Ops::whole(x->getType(), number_of(e->b));
  if (e->a->range.lo >= 0) {
    const bool narrows = e->a->range.hi < (std::int64_t{1} << 32) &&
                         number_of(e->b) < (std::int64_t{1} << 32) &&
                         x->getType()->getScalarSizeInBits() == 64;
    if (!narrows) return is_div ? b.CreateUDiv(x, by) : b.CreateURem(x, by);
    Type* half = Ops::with_lanes(b.getInt32Ty(), Ops::lanes_of(x));
    Value* n = b.CreateTrunc(x, half);
    Value* d = Ops::whole(half, number_of(e->b));
    return b.CreateZExt(is_div ? b.CreateUDiv(n, d) : b.CreateURem(n, d), x->getType());
  }
  Value* r = b.CreateSRem(x, by);
  Value* below = b.CreateICmpSLT(r, Ops::whole(x->getType(), 0));
  if (is_div) return b.CreateSub(b.CreateSDiv(x, by), b.CreateZExt(below, x->getType()));
  return ops_.choose(below, b.CreateAdd(r, by), r);
}

Value* Scope::compute(Expr e, Value* x, Value* y) {
  IrBuilder& b = ops_.b();
  switch (e->kind) {
    case Kind::Add: return b.CreateAdd(x, y);
    case Kind::Mul: return b.CreateMul(x, y);
    case Kind::Div:
    case Kind::Mod: return divide(e, x);
    case Kind::Min: return ops_.choose(b.CreateICmpSLT(x, y), x, y);
    case Kind::Max: return ops_.choose(b.CreateICmpSGT(x, y), x, y);
    case Kind::Less: return b.CreateICmpSLT(x, y);
    case Kind::Equal: return b.CreateICmpEQ(x, y);
    case Kind::And: return b.CreateAnd(x, y);
    case Kind::Or: return b.CreateOr(x, y);
    case Kind::Not: return b.CreateNot(x);
    default: break;
  }
  CAMBIUM_CHECK(false, "a leaf is no operation");
  return x;
}

const Scope::LaneParts& Scope::lane_parts(Expr e) {
  const auto known = lane_parts_.find(e);
  if (known != lane_parts_.end()) return known->second;
  LaneParts parts{true, nullptr, {}};
  for (std::int64_t i = 0; i < lanes_ && parts.is_number; ++i) {
    const expr::Replacement fixed{lane_axis_, cx_.number(i)};
    Expr at = expr::substitute(cx_.indices(), e, std::span(&fixed, 1));
    at = expr::simplify(cx_.indices(), at);
    if (i == 0) parts.first = at;
    expr::Linear difference;
    parts.is_number = difference.add_scaled(at, expr::Monomial::of(1)) &&
                      difference.add_scaled(parts.first, expr::Monomial::of(-1)) &&
                      (difference.empty() ||
                       (difference.terms().size() == 1 && difference.terms()[0].atom == nullptr));
    parts.added.push_back(difference.empty() ? 0 : difference.terms()[0].coefficient.factor);
  }
  return lane_parts_.emplace(e, std::move(parts)).first->second;
}

Position Scope::position(Expr flat) {
  using expr::Monomial;
  expr::Linear over_loops;
  expr::Linear all;
  bool fits = over_loops.add_scaled(flat, Monomial::of(1));
  for (const expr::Term& term : over_loops.terms()) {
    if (term.atom == nullptr) {
      fits = fits && all.add(term.coefficient, nullptr);
    } else if (term.atom->kind != Kind::Axis || replaced_.contains(term.atom)) {
      fits = fits && all.add_scaled(here(term.atom), term.coefficient);
    } else {
      fits = fits && all.add(term.coefficient, term.atom);
    }
  }
  Position position;
  expr::Linear uniform;
  expr::Linear varying;
  std::vector<std::int64_t> added(static_cast<std::size_t>(lanes_), 0);
  bool moves = false;
  for (const expr::Term& term : all.terms()) {
    const std::int64_t factor = term.coefficient.factor;
    if (term.atom == nullptr || !has_lanes(term.atom)) {
      fits = fits && uniform.add(term.coefficient, term.atom);
      continue;
    }
    moves = true;
    if (term.atom == lane_axis_) {
      for (std::size_t i = 0; i < added.size(); ++i)
        added[i] += factor * static_cast<std::int64_t>(i);
      continue;
    }
    const LaneParts& parts = lane_parts(term.atom);
    if (!parts.is_number) {
      fits = fits && varying.add(term.coefficient, term.atom);
      continue;
    }
    fits = fits && uniform.add_scaled(parts.first, term.coefficient);
    for (std::size_t i = 0; i < added.size(); ++i) added[i] += factor * parts.added[i];
  }
  CAMBIUM_CHECK(fits, "a position within a buffer fits 64 bits");
  const auto zero = [](std::int64_t n) { return n == 0; };
  if (moves && !std::all_of(added.begin(), added.end(), zero)) position.lanes = added;
  if (!varying.empty()) position.varying = varying.build(cx_.indices());
  for (const expr::Term& term : uniform.terms()) {
    if (term.atom == nullptr) {
      position.number = term.coefficient.factor;
    } else {
      position.terms.push_back({term.coefficient.factor, term.atom, level_of(term.atom)});
    }
  }
  std::stable_sort(
      position.terms.begin(), position.terms.end(),
      [](const Position::Term& s, const Position::Term& t) { return s.level < t.level; });
  return position;
}

Value* Scope::pointer(Value* base, const Position& position, std::int64_t element_bytes) {
  IrBuilder& b = ops_.b();
  Value* pointer = base;
  for (std::size_t i = 0; i < position.terms.size();) {
    const std::size_t at = position.terms[i].level;
    std::size_t end = i;
    std::vector<std::uint64_t> key{word(pointer)};
    while (end < position.terms.size() && position.terms[end].level == at) {
      key.push_back(static_cast<std::uint64_t>(position.terms[end].factor));
      key.push_back(word(position.terms[end].atom));
      ++end;
    }
    Level& level = frame_.levels[at];
    Value*& known = level.known[key];
    if (known == nullptr) {
      std::vector<Value*> atoms;
      for (std::size_t j = i; j < end; ++j) atoms.push_back(scalar(position.terms[j].atom));
      const IrBuilder::InsertPointGuard guard(b);
      b.SetInsertPoint(level.head);
      Value* offset = nullptr;
      for (std::size_t j = i; j < end; ++j) {
        Value* term = b.CreateMul(
            atoms[j - i], Ops::whole(b.getInt64Ty(), position.terms[j].factor * element_bytes));
        offset = offset == nullptr ? term : b.CreateAdd(offset, term);
      }
      known = b.CreateGEP(b.getInt8Ty(), pointer, offset);
    }
    pointer = known;
    i = end;
  }
  return pointer;
}

}  // namespace cambium::codegen
