#include <limits>
#include <span>

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/ops.h"

namespace cambium::codegen {
namespace {

// A polynomial, highest coefficient first.
Value* polynomial(Ops& ops, Value* x, std::span<const double> coefficients) {
  Value* sum = Ops::number(x->getType(), coefficients[0]);
  for (double c : coefficients.subspan(1)) {
    sum = ops.multiply_add(sum, x, Ops::number(x->getType(), c));
  }
  return sum;
}

Type* bits_type(Ops& ops, Value* x) {
  return Ops::with_lanes(ops.b().getInt32Ty(), Ops::lanes_of(x));
}

// 2^n for n in -126..127.
Value* power_of_two(Ops& ops, Value* n, Type* type) {
  Value* biased = ops.b().CreateAdd(n, Ops::whole(n->getType(), 127));
  return ops.b().CreateBitCast(ops.b().CreateShl(biased, 23), type);
}

// exp(x) = 2^n * exp(r) with |r| <= ln2/2. x must be moderate; a NaN passes.
struct Reduced {
  Value* r;
  Value* n;
  Value* whole_n;  // i32
};
Reduced reduce_exp(Ops& ops, Value* x) {
  IrBuilder& b = ops.b();
  Type* type = x->getType();
  const auto k = [type](double v) { return Ops::number(type, v); };
  Value* magic = k(12582912);  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  Value* shifted = ops.multiply_add(x, k(1.44269504088896341), magic);
  Value* n = b.CreateFSub(shifted, magic);
  Value* r = ops.multiply_add(n, k(-0.693359375), x);
  r = ops.multiply_add(n, k(2.12194440e-4), r);
  Type* bits = bits_type(ops, x);
  return {r, n, b.CreateSub(b.CreateBitCast(shifted, bits), b.CreateBitCast(magic, bits))};
}

// (exp(r) - 1) / r: the polynomial whose largest relative error of exp(r) is least, 3e-9.
Value* slope_of_exp(Ops& ops, Value* r) {
  static constexpr double kExp[] = {1.3814598476e-3, 8.3687168874e-3, 4.1668388049e-2,
                                    1.6666520632e-1, 4.9999993448e-1, 1};
  return polynomial(ops, r, kExp);
}

// x * 2^n, rounded once. AVX-512 has an instruction for it; otherwise the scale goes on in two
// halves, so that results among the subnormals and the overflow to infinity come out right.
Value* scaled(Ops& ops, Value* x, const Reduced& by) {
  IrBuilder& b = ops.b();
  Type* type = x->getType();
  if (ops.isa() == Isa::Avx512 && Ops::lanes_of(x) == 16) {
    Value* all = llvm::ConstantInt::get(b.getInt16Ty(), 0xffff);
    Value* as_is = b.getInt32(4);  // the rounding mode
    return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                             {x, by.n, llvm::UndefValue::get(type), all, as_is});
  }
  Value* half = b.CreateAShr(by.whole_n, 1);
  x = b.CreateFMul(x, power_of_two(ops, half, type));
  return b.CreateFMul(x, power_of_two(ops, b.CreateSub(by.whole_n, half), type));
}

// Between two numbers; a NaN passes.
Value* clamp(Ops& ops, Value* x, double low, double high) {
  Value* least = Ops::number(x->getType(), low);
  Value* most = Ops::number(x->getType(), high);
  x = ops.choose(ops.b().CreateFCmpOLT(x, least), least, x);
  return ops.choose(ops.b().CreateFCmpOGT(x, most), most, x);
}

}  // namespace

Value* exp_f32(Ops& ops, Value* x) {
  const Reduced e = reduce_exp(ops, clamp(ops, x, -105, 89.5));
  Value* one = Ops::number(x->getType(), 1);
  return scaled(ops, ops.multiply_add(slope_of_exp(ops, e.r), e.r, one), e);
}

// 2^n * p + (2^n - 1) for p = exp(r) - 1, with half of 2^n because all of it may be too large.
Value* expm1_f32(Ops& ops, Value* x) {
  IrBuilder& b = ops.b();
  Type* type = x->getType();
  const Reduced e = reduce_exp(ops, clamp(ops, x, -20, 88.9));
  Value* p = b.CreateFMul(slope_of_exp(ops, e.r), e.r);
  Value* one = Ops::whole(e.whole_n->getType(), 1);
  Value* half = power_of_two(ops, b.CreateSub(e.whole_n, one), type);
  Value* sum = ops.multiply_add(half, p, b.CreateFSub(half, Ops::number(type, 0.5)));
  return b.CreateFAdd(sum, sum);
}

// x = 2^e * m with sqrt(1/2) <= m < sqrt(2).
Value* log_f32(Ops& ops, Value* x) {
  IrBuilder& b = ops.b();
  Type* type = x->getType();
  Type* bits = bits_type(ops, x);
  const auto k = [type](double v) { return Ops::number(type, v); };
  const auto w = [bits](std::int64_t v) { return Ops::whole(bits, v); };
  Value* small = b.CreateFCmpOLT(x, k(1.17549435e-38));
  Value* scaled = ops.choose(small, b.CreateFMul(x, k(8388608)), x);
  Value* i = b.CreateSub(b.CreateBitCast(scaled, bits), w(0x3f3504f3));
  Value* e = b.CreateSIToFP(b.CreateAShr(i, 23), type);
  e = ops.choose(small, b.CreateFSub(e, k(23)), e);
  Value* m = b.CreateBitCast(b.CreateAdd(b.CreateAnd(i, w(0x7fffff)), w(0x3f3504f3)), type);
  Value* f = b.CreateFSub(m, k(1));
  Value* z = b.CreateFMul(f, f);
  static constexpr double kLog[] = {7.0376836292e-2,  -1.1514610310e-1, 1.1676998740e-1,
                                    -1.2420140846e-1, 1.4249322787e-1,  -1.6668057665e-1,
                                    2.0000714765e-1,  -2.4999993993e-1, 3.3333331174e-1};
  Value* y = b.CreateFMul(b.CreateFMul(polynomial(ops, f, kLog), f), z);
  y = ops.multiply_add(e, k(-2.12194440e-4), y);
  y = ops.multiply_add(z, k(-0.5), y);
  y = ops.multiply_add(e, k(0.693359375), b.CreateFAdd(f, y));
  const double infinity = std::numeric_limits<double>::infinity();
  y = ops.choose(b.CreateFCmpOEQ(x, k(infinity)), x, y);
  y = ops.choose(b.CreateFCmpOEQ(x, k(0)), k(-infinity), y);
  Value* undefined = b.CreateFCmpULT(x, k(0));  // below 0, or NaN
  return ops.choose(undefined, k(std::numeric_limits<double>::quiet_NaN()), y);
}

// log(u) for u = 1 + x as rounded, times what the rounding left out.
Value* log1p_f32(Ops& ops, Value* x) {
  IrBuilder& b = ops.b();
  Value* one = Ops::number(x->getType(), 1);
  Value* u = b.CreateFAdd(x, one);
  Value* d = b.CreateFSub(u, one);
  Value* log = b.CreateFMul(log_f32(ops, u), b.CreateFDiv(x, d));
  Value* infinity = Ops::number(x->getType(), std::numeric_limits<double>::infinity());
  Value* is_itself = b.CreateOr(b.CreateFCmpOEQ(u, one), b.CreateFCmpOEQ(x, infinity));
  return ops.choose(is_itself, x, log);
}

Value* tanh_f32(Ops& ops, Value* x) {
  IrBuilder& b = ops.b();
  Type* type = x->getType();
  const auto k = [type](double v) { return Ops::number(type, v); };
  Value* t = ops.absolute(x);
  Value* z = b.CreateFMul(x, x);
  static constexpr double kTanh[] = {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                     1.33314422036e-1, -3.33332819422e-1};
  Value* near = ops.multiply_add(b.CreateFMul(polynomial(ops, z, kTanh), z), x, x);
  Value* e = exp_f32(ops, b.CreateFAdd(t, t));
  Value* far = b.CreateFSub(k(1), b.CreateFDiv(k(2), b.CreateFAdd(e, k(1))));
  far = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, x);
  return ops.choose(b.CreateFCmpOLT(t, k(0.625)), near, far);
}

// Near zero an odd polynomial, otherwise 1 - exp(polynomial).
Value* erf_f32(Ops& ops, Value* x) {
  IrBuilder& b = ops.b();
  Type* type = x->getType();
  const auto k = [type](double v) { return Ops::number(type, v); };
  Value* t = ops.absolute(x);
  Value* s = b.CreateFMul(x, x);
  Value* r = ops.multiply_add(k(-1.72853470e-5), t, k(3.83197126e-4));
  Value* u = ops.multiply_add(k(-3.88396438e-3), t, k(2.42546219e-2));
  r = ops.multiply_add(r, s, u);
  for (double c : {-1.06777877e-1, -6.34846687e-1, -1.28717512e-1}) {
    r = ops.multiply_add(r, t, k(c));
  }
  r = ops.multiply_add(r, t, b.CreateFNeg(t));
  Value* far = b.CreateFSub(k(1), exp_f32(ops, r));
  far = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, far, x);
  static constexpr double kErf[] = {-5.96761703e-4, 4.99119423e-3,  -2.67681349e-2,
                                    1.12819925e-1,  -3.76125336e-1, 1.28379166e-1};
  Value* near = ops.multiply_add(polynomial(ops, s, kErf), x, x);
  return ops.choose(b.CreateFCmpOGT(t, k(0.927734375)), far, near);
}

}  // namespace cambium::codegen
