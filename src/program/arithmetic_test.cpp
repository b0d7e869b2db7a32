#include "program/arithmetic.h"

#include <map>

#include <gtest/gtest.h>

#include "program/interpret.h"
#include "program/text.h"

namespace cambium::program {
namespace {

// One value computed by the interpreter from x (f64) or k (of `type`).
double run(const std::string& scalar, std::string_view type, std::vector<double> x,
           std::vector<std::int64_t> k) {
  Context cx;
  const std::string t(type);
  const std::string result =
      scalar.find(" < ") != std::string::npos || scalar.find("is_nan") == 0 ? "bool" : t;
  const auto program = parse(
      cx, "program p(x: f64[2] input, k: " + (is_floating(*dtype_named(type)) ? "i64" : t) +
              "[2] input, y: " + result + "[1] output) { block s() { y[0] = " + scalar + " } }");
  EXPECT_TRUE(program.ok()) << program.rejection().message();
  Array whole{is_floating(*dtype_named(type)) ? DType::I64 : *dtype_named(type), std::move(k)};
  const auto got = interpret(
      cx, *program, std::vector<Array>{Array::of(std::span<const double>(x)), std::move(whole)});
  EXPECT_TRUE(got.ok()) << got.rejection().message();
  return got.ok() ? got->at(0).as_doubles()[0] : 0;
}

TEST(Arithmetic, EveryFunctionOfOneNumber) {
  const std::map<UnaryFn, double (*)(double)> want = {
      {UnaryFn::Neg, [](double x) { return -x; }},
      {UnaryFn::Abs, std::fabs},
      {UnaryFn::Sign, [](double x) { return x > 0 ? 1.0 : -1.0; }},
      {UnaryFn::Exp, std::exp},
      {UnaryFn::Expm1, std::expm1},
      {UnaryFn::Log, std::log},
      {UnaryFn::Log1p, std::log1p},
      {UnaryFn::Sqrt, std::sqrt},
      {UnaryFn::Erf, std::erf},
      {UnaryFn::Sin, std::sin},
      {UnaryFn::Cos, std::cos},
      {UnaryFn::Tan, std::tan},
      {UnaryFn::Asin, std::asin},
      {UnaryFn::Acos, std::acos},
      {UnaryFn::Atan, std::atan},
      {UnaryFn::Sinh, std::sinh},
      {UnaryFn::Cosh, std::cosh},
      {UnaryFn::Tanh, std::tanh},
      {UnaryFn::Asinh, std::asinh},
      {UnaryFn::Acosh, std::acosh},
      {UnaryFn::Atanh, std::atanh},
      {UnaryFn::Floor, std::floor},
      {UnaryFn::Ceil, std::ceil},
      {UnaryFn::Round, std::nearbyint},
      {UnaryFn::IsNan, [](double x) { return std::isnan(x) ? 1.0 : 0.0; }},
  };
  int tested = 0;
#define CAMBIUM_X(name, text, operands)                                                         \
  if (const auto fn = want.find(UnaryFn::name); fn != want.end()) {                             \
    const double x = UnaryFn::name == UnaryFn::Acosh ? 1.5 : 0.4;                               \
    EXPECT_EQ(run(std::string(text) + "(x[0])", "f64", {x, 0}, {0, 0}), fn->second(x)) << text; \
    ++tested;                                                                                   \
  }
  CAMBIUM_FOR_EACH_UNARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
#define CAMBIUM_X(name, text, operands) +1
  EXPECT_EQ(tested + 1, 0 CAMBIUM_FOR_EACH_UNARY_FN(CAMBIUM_X));  // Not is below
#undef CAMBIUM_X
  EXPECT_EQ(run("select(!(x[0] == x[1]), x[1], -x[1])", "f64", {0, 3}, {0, 0}), 3);
}

TEST(Arithmetic, MinAndMaxGiveTheSecondOfANan) {
  const double nan = std::nan("");
  EXPECT_EQ(run("max(x[0], x[1])", "f64", {nan, 3}, {0, 0}), 3);
  EXPECT_TRUE(std::isnan(run("max(x[0], x[1])", "f64", {3, nan}, {0, 0})));
  EXPECT_EQ(run("min(x[0], x[1])", "f64", {nan, 3}, {0, 0}), 3);
}

TEST(Arithmetic, RemaindersFollowTheirSigns) {
  EXPECT_EQ(run("mod(k[0], k[1])", "i32", {0, 0}, {-7, 3}), 2);
  EXPECT_EQ(run("rem(k[0], k[1])", "i32", {0, 0}, {-7, 3}), -1);
  EXPECT_EQ(run("k[0] / k[1]", "i32", {0, 0}, {-7, 3}), -2);
  EXPECT_EQ(run("mod(x[0], x[1])", "f64", {-7, 3}, {0, 0}), 2);
  EXPECT_EQ(run("rem(x[0], x[1])", "f64", {-7, 3}, {0, 0}), -1);
  EXPECT_EQ(run("pow(x[0], x[1])", "f64", {2, 10}, {0, 0}), 1024);
}

TEST(Arithmetic, WholeNumbersWrapAndDivideByZeroToZero) {
  EXPECT_EQ(run("k[0] * k[1]", "u8", {0, 0}, {200, 3}), 88);
  EXPECT_EQ(run("k[0] / k[1]", "i8", {0, 0}, {-128, -1}), -128);
  EXPECT_EQ(run("k[0] / k[1]", "i64", {0, 0}, {5, 0}), 0);
  EXPECT_EQ(run("mod(k[0], k[1])", "i64", {0, 0}, {5, 0}), 0);
  EXPECT_EQ(run("max(k[0], k[1])", "u64", {0, 0}, {-1, 3}), 18446744073709551615.0);
  EXPECT_EQ(run("abs(k[0])", "i8", {0, 0}, {-128, 0}), -128);
  EXPECT_EQ(run("k[0] < k[1]", "u64", {0, 0}, {-1, 3}), 0);
}

TEST(Arithmetic, CastsSaturateAndTruncate) {
  EXPECT_EQ(whole_from(-3.9, DType::I32), -3);
  EXPECT_EQ(whole_from(1e30, DType::I16), 32767);
  EXPECT_EQ(whole_from(-1.0, DType::U8), 0);
  EXPECT_EQ(whole_from(std::nan(""), DType::I64), 0);
  EXPECT_EQ(whole_from(1e30, DType::I64), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(whole_from(0.5, DType::Bool), 1);
  EXPECT_EQ(wrap(300, DType::U8), 44);
}

}  // namespace
}  // namespace cambium::program
