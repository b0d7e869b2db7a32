// Ops: the operations of programs on LLVM values. A value of type T is a T if it is equal in all
// lanes of the vectorized loop, and otherwise a vector of T. Every operation takes and returns both
// forms. Bools are i1 as values and bytes in memory. f16 and bf16 are 16-bit numbers in memory and
// f32 as values.
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/machine.h"
#include "codegen/llvm/ir.h"
#include "program/functions.h"

namespace cambium::codegen {

class Ops {
 public:
  Ops(IrBuilder& builder, Isa isa) : b_(builder), isa_(isa) {}

  IrBuilder& b() { return b_; }
  Isa isa() const { return isa_; }

  static std::int64_t lanes_of(Type* type);
  static std::int64_t lanes_of(Value* value) { return lanes_of(value->getType()); }
  static Type* with_lanes(Type* element, std::int64_t lanes);
  Type* type_of(DType dtype, std::int64_t lanes = 1);         // as a value
  Type* memory_type_of(DType dtype, std::int64_t lanes = 1);  // as an element of a buffer

  static Value* number(Type* type, double value);       // floating; in all lanes
  static Value* whole(Type* type, std::int64_t value);  // an integer; in all lanes
  Value* splat(Value* scalar, std::int64_t lanes);      // a vector is returned unchanged
  Value* lane(Value* vector, std::int64_t i);           // for a scalar, the scalar itself
  Value* select_lanes(Value* a, Value* b, const std::vector<std::int64_t>& lanes);
  // Transposes a matrix of n vectors with n lanes.
  void transpose(std::vector<Value*>& rows);

  Value* from_memory(Value* stored, DType dtype);
  Value* to_memory(Value* value, DType dtype);
  Value* as_stored(Value* value, DType dtype) {  // rounded as a store of that type rounds
    return from_memory(to_memory(value, dtype), dtype);
  }

  // Both operands with equally many lanes. `type` is that of the operands.
  Value* apply(program::UnaryFn fn, DType type, Value* x);
  Value* apply(program::BinaryFn fn, DType type, Value* x, Value* y);
  Value* cast(DType from, DType to, Value* x);
  Value* multiply_add(Value* x, Value* y, Value* z);  // x*y + z, floating, rounded once
  Value* choose(Value* condition, Value* first, Value* second);

  Value* absolute(Value* x);
  Value* intrinsic(llvm::Intrinsic::ID id, Value* x);

 private:
  Value* apply_floating(program::UnaryFn fn, DType type, Value* x);
  Value* apply_floating(program::BinaryFn fn, DType type, Value* x, Value* y);
  Value* apply_whole(program::BinaryFn fn, DType type, Value* x, Value* y);
  Value* divide(program::BinaryFn fn, bool is_signed, Value* x, Value* y);
  Value* call_per_lane(std::string_view name, DType type, Value* x, Value* y = nullptr);

  IrBuilder& b_;
  Isa isa_;
};

bool is_signed(DType dtype);

// Functions of f32 as polynomials, exact to four units in the last place. Softmax, gelu and similar
// operators spend most of their time in them.
Value* exp_f32(Ops& ops, Value* x);
Value* expm1_f32(Ops& ops, Value* x);
Value* log_f32(Ops& ops, Value* x);
Value* log1p_f32(Ops& ops, Value* x);
Value* tanh_f32(Ops& ops, Value* x);
Value* erf_f32(Ops& ops, Value* x);

}  // namespace cambium::codegen
