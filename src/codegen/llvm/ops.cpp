#include "codegen/llvm/ops.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace cambium::codegen {

using program::BinaryFn;
using program::UnaryFn;

bool is_signed(DType dtype) {
  return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
}

std::int64_t Ops::lanes_of(Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : static_cast<std::int64_t>(vector->getNumElements());
}

Type* Ops::with_lanes(Type* element, std::int64_t lanes) {
  return lanes == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
}

Type* Ops::type_of(DType dtype, std::int64_t lanes) {
  switch (program::value_type(dtype)) {
    case DType::F32: return with_lanes(b_.getFloatTy(), lanes);
    case DType::F64: return with_lanes(b_.getDoubleTy(), lanes);
    case DType::Bool: return with_lanes(b_.getInt1Ty(), lanes);
    default: return with_lanes(b_.getIntNTy(static_cast<unsigned>(8 * size_of(dtype))), lanes);
  }
}

Type* Ops::memory_type_of(DType dtype, std::int64_t lanes) {
  if (dtype == DType::F32 || dtype == DType::F64) return type_of(dtype, lanes);
  return with_lanes(b_.getIntNTy(static_cast<unsigned>(8 * size_of(dtype))), lanes);
}

Value* Ops::number(Type* type, double value) {
  return llvm::ConstantFP::get(type, value);
}

Value* Ops::whole(Type* type, std::int64_t value) {
  return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(value), true);
}

Value* Ops::splat(Value* scalar, std::int64_t lanes) {
  if (lanes == 1 || lanes_of(scalar) != 1) return scalar;
  return b_.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
}

Value* Ops::lane(Value* vector, std::int64_t i) {
  if (lanes_of(vector) == 1) return vector;
  return b_.CreateExtractElement(vector, static_cast<std::uint64_t>(i));
}

Value* Ops::select_lanes(Value* a, Value* b, const std::vector<std::int64_t>& lanes) {
  std::vector<int> mask(lanes.begin(), lanes.end());
  return b_.CreateShuffleVector(a, b, mask);
}

// Swaps ever larger off-diagonal quarters: after the step of distance d, blocks of 2d by 2d are
// transposed.
void Ops::transpose(std::vector<Value*>& rows) {
  const std::size_t n = rows.size();
  for (std::size_t d = 1; d < n; d *= 2) {
    std::vector<std::int64_t> low, high;
    for (std::size_t j = 0; j < n; ++j) {
      low.push_back(static_cast<std::int64_t>((j & d) == 0 ? j : n + j - d));
      high.push_back(static_cast<std::int64_t>((j & d) == 0 ? j + d : n + j));
    }
    for (std::size_t r = 0; r < n; ++r) {
      if ((r & d) != 0) continue;
      Value* const first = rows[r];
      Value* const second = rows[r + d];
      rows[r] = select_lanes(first, second, low);
      rows[r + d] = select_lanes(first, second, high);
    }
  }
}

Value* Ops::from_memory(Value* stored, DType dtype) {
  const std::int64_t lanes = lanes_of(stored);
  switch (dtype) {
    case DType::Bool: return b_.CreateICmpNE(stored, whole(stored->getType(), 0));
    case DType::F16:
      return b_.CreateFPExt(b_.CreateBitCast(stored, with_lanes(b_.getHalfTy(), lanes)),
                            type_of(DType::F32, lanes));
    case DType::BF16: {
      Value* wide = b_.CreateZExt(stored, with_lanes(b_.getInt32Ty(), lanes));
      return b_.CreateBitCast(b_.CreateShl(wide, 16), type_of(DType::F32, lanes));
    }
    default: return stored;
  }
}

Value* Ops::to_memory(Value* value, DType dtype) {
  const std::int64_t lanes = lanes_of(value);
  Type* memory = memory_type_of(dtype, lanes);
  switch (dtype) {
    case DType::Bool: return b_.CreateZExt(value, memory);
    case DType::F16:
      return b_.CreateBitCast(b_.CreateFPTrunc(value, with_lanes(b_.getHalfTy(), lanes)), memory);
    case DType::BF16: {  // to nearest even by integers; a NaN stays one
      Value* bits = b_.CreateBitCast(value, with_lanes(b_.getInt32Ty(), lanes));
      Value* odd = b_.CreateAnd(b_.CreateLShr(bits, 16), 1);
      Value* rounded =
          b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(bits, odd), whole(bits->getType(), 0x7fff)), 16);
      Value* quiet = b_.CreateOr(b_.CreateLShr(bits, 16), whole(bits->getType(), 0x40));
      Value* is_nan = b_.CreateFCmpUNO(value, value);
      return b_.CreateTrunc(b_.CreateSelect(is_nan, quiet, rounded), memory);
    }
    default: return value;
  }
}

Value* Ops::intrinsic(llvm::Intrinsic::ID id, Value* x) {
  return b_.CreateUnaryIntrinsic(id, x);
}

Value* Ops::absolute(Value* x) {
  return intrinsic(llvm::Intrinsic::fabs, x);
}

Value* Ops::multiply_add(Value* x, Value* y, Value* z) {
  return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

Value* Ops::choose(Value* condition, Value* first, Value* second) {
  return b_.CreateSelect(condition, first, second);
}

Value* Ops::call_per_lane(std::string_view name, DType type, Value* x, Value* y) {
  llvm::Module& module = *b_.GetInsertBlock()->getModule();
  Type* scalar = type_of(type);
  const std::size_t operands = y == nullptr ? 1 : 2;
  const std::vector<Type*> parameters(operands, scalar);
  const std::string symbol = std::string(name) + (type == DType::F32 ? "f" : "");
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(symbol, llvm::FunctionType::get(scalar, parameters, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  const std::int64_t lanes = lanes_of(x);
  Value* all = lanes == 1 ? nullptr : llvm::PoisonValue::get(x->getType());
  for (std::int64_t i = 0; i < lanes; ++i) {
    std::vector<Value*> arguments{lane(x, i)};
    if (y != nullptr) arguments.push_back(lane(y, i));
    Value* one = b_.CreateCall(callee, arguments);
    if (lanes == 1) return one;
    all = b_.CreateInsertElement(all, one, static_cast<std::uint64_t>(i));
  }
  return all;
}

Value* Ops::apply_floating(UnaryFn fn, DType type, Value* x) {
  const bool is_f32 = type == DType::F32;
  switch (fn) {
    case UnaryFn::Neg: return b_.CreateFNeg(x);
    case UnaryFn::Abs: return absolute(x);
    case UnaryFn::Sign: {
      Value* zero = number(x->getType(), 0);
      Value* below = choose(b_.CreateFCmpOLT(x, zero), number(x->getType(), -1), x);
      return choose(b_.CreateFCmpOGT(x, zero), number(x->getType(), 1), below);
    }
    case UnaryFn::Sqrt: return intrinsic(llvm::Intrinsic::sqrt, x);
    case UnaryFn::Floor: return intrinsic(llvm::Intrinsic::floor, x);
    case UnaryFn::Ceil: return intrinsic(llvm::Intrinsic::ceil, x);
    case UnaryFn::Round: return intrinsic(llvm::Intrinsic::roundeven, x);
    case UnaryFn::IsNan: return b_.CreateFCmpUNO(x, x);
    case UnaryFn::Exp:
      if (is_f32) return exp_f32(*this, x);
      break;
    case UnaryFn::Expm1:
      if (is_f32) return expm1_f32(*this, x);
      break;
    case UnaryFn::Log1p:
      if (is_f32) return log1p_f32(*this, x);
      break;
    case UnaryFn::Log:
      if (is_f32) return log_f32(*this, x);
      break;
    case UnaryFn::Tanh:
      if (is_f32) return tanh_f32(*this, x);
      break;
    case UnaryFn::Erf:
      if (is_f32) return erf_f32(*this, x);
      break;
    default: break;
  }
  return call_per_lane(program::name_of(fn), type, x);  // functions.h names them as libm does
}

Value* Ops::apply(UnaryFn fn, DType type, Value* x) {
  if (is_floating(type)) return apply_floating(fn, type, x);
  Value* zero = whole(x->getType(), 0);
  switch (fn) {
    case UnaryFn::Not: return b_.CreateNot(x);
    case UnaryFn::Neg: return b_.CreateNeg(x);
    case UnaryFn::Abs:
      if (!is_signed(type)) return x;
      return choose(b_.CreateICmpSLT(x, zero), b_.CreateNeg(x), x);
    default: {  // Sign
      Value* positive = b_.CreateZExt(b_.CreateICmpNE(x, zero), x->getType());
      if (!is_signed(type)) return positive;
      return choose(b_.CreateICmpSLT(x, zero), whole(x->getType(), -1), positive);
    }
  }
}

Value* Ops::apply_floating(BinaryFn fn, DType type, Value* x, Value* y) {
  switch (fn) {
    case BinaryFn::Less: return b_.CreateFCmpOLT(x, y);
    case BinaryFn::LessEqual: return b_.CreateFCmpOLE(x, y);
    case BinaryFn::Equal: return b_.CreateFCmpOEQ(x, y);
    case BinaryFn::NotEqual: return b_.CreateFCmpUNE(x, y);
    case BinaryFn::Add: return b_.CreateFAdd(x, y);
    case BinaryFn::Sub: return b_.CreateFSub(x, y);
    case BinaryFn::Mul: return b_.CreateFMul(x, y);
    case BinaryFn::Div: return b_.CreateFDiv(x, y);
    case BinaryFn::Min: return choose(b_.CreateFCmpOLT(x, y), x, y);
    case BinaryFn::Max: return choose(b_.CreateFCmpOGT(x, y), x, y);
    case BinaryFn::Pow:
      if (y == number(y->getType(), 2)) return b_.CreateFMul(x, x);
      return call_per_lane("pow", type, x, y);
    case BinaryFn::Rem: return call_per_lane("fmod", type, x, y);
    case BinaryFn::Mod: {
      Value* zero = number(x->getType(), 0);
      Value* r = call_per_lane("fmod", type, x, y);
      Value* differ = b_.CreateXor(b_.CreateFCmpOLT(r, zero), b_.CreateFCmpOLT(y, zero));
      Value* wrong = b_.CreateAnd(b_.CreateFCmpUNE(r, zero), differ);
      return choose(wrong, b_.CreateFAdd(r, y), r);
    }
    default: break;
  }
  CAMBIUM_CHECK(false, "truth function of floating numbers");
  return x;
}

// Toward zero; x/0 and x%0 are 0, and the lowest number over -1 wraps.
Value* Ops::divide(BinaryFn fn, bool with_sign, Value* x, Value* y) {
  Type* type = x->getType();
  Value* zero = whole(type, 0);
  Value* by_zero = b_.CreateICmpEQ(y, zero);
  Value* special = by_zero;
  Value* by_minus_one = nullptr;
  if (with_sign) {
    by_minus_one = b_.CreateICmpEQ(y, whole(type, -1));
    special = b_.CreateOr(by_zero, by_minus_one);
  }
  Value* divisor = choose(special, whole(type, 1), y);
  if (fn == BinaryFn::Div) {
    Value* quotient = with_sign ? b_.CreateSDiv(x, divisor) : b_.CreateUDiv(x, divisor);
    if (with_sign) quotient = choose(by_minus_one, b_.CreateNeg(x), quotient);
    return choose(by_zero, zero, quotient);
  }
  Value* r = with_sign ? b_.CreateSRem(x, divisor) : b_.CreateURem(x, divisor);  // by 1: 0
  if (fn == BinaryFn::Rem || !with_sign) return r;
  Value* differ = b_.CreateXor(b_.CreateICmpSLT(r, zero), b_.CreateICmpSLT(y, zero));
  return choose(b_.CreateAnd(b_.CreateICmpNE(r, zero), differ), b_.CreateAdd(r, y), r);
}

Value* Ops::apply_whole(BinaryFn fn, DType type, Value* x, Value* y) {
  const bool with_sign = is_signed(type);
  const auto less = [&](Value* a, Value* c) {
    return with_sign ? b_.CreateICmpSLT(a, c) : b_.CreateICmpULT(a, c);
  };
  switch (fn) {
    case BinaryFn::Or: return b_.CreateOr(x, y);
    case BinaryFn::And: return b_.CreateAnd(x, y);
    case BinaryFn::Less: return less(x, y);
    case BinaryFn::LessEqual: return b_.CreateNot(less(y, x));
    case BinaryFn::Equal: return b_.CreateICmpEQ(x, y);
    case BinaryFn::NotEqual: return b_.CreateICmpNE(x, y);
    case BinaryFn::Add: return b_.CreateAdd(x, y);
    case BinaryFn::Sub: return b_.CreateSub(x, y);
    case BinaryFn::Mul: return b_.CreateMul(x, y);
    case BinaryFn::Min: return choose(less(x, y), x, y);
    case BinaryFn::Max: return choose(less(y, x), x, y);
    default: return divide(fn, with_sign, x, y);
  }
}

Value* Ops::apply(BinaryFn fn, DType type, Value* x, Value* y) {
  return is_floating(type) ? apply_floating(fn, type, x, y) : apply_whole(fn, type, x, y);
}

Value* Ops::cast(DType from, DType to, Value* x) {
  Type* type = type_of(to, lanes_of(x));
  if (from == to) return x;
  if (is_floating(from)) {
    if (is_floating(to)) return b_.CreateFPCast(x, type);
    if (to == DType::Bool) return b_.CreateFCmpONE(x, number(x->getType(), 0));
    const auto id = is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return b_.CreateIntrinsic(id, {type, x->getType()}, {x});
  }
  if (is_floating(to)) {
    return is_signed(from) ? b_.CreateSIToFP(x, type) : b_.CreateUIToFP(x, type);
  }
  if (to == DType::Bool) return b_.CreateICmpNE(x, whole(x->getType(), 0));
  return b_.CreateIntCast(x, type, is_signed(from));
}

}  // namespace cambium::codegen
