#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"
#include "codegen/llvm/native_testing.h"
#include "program/arithmetic.h"
#include "program/build.h"
#include "program/text.h"
#include "program/walk.h"

namespace cambium::codegen {
namespace {

using namespace program;

constexpr std::int64_t kWidths[] = {1, 3, 8, 16, 48};
constexpr std::int64_t kElements = 48 * 16;
constexpr DType kTypes[] = {DType::F32, DType::F64, DType::I8,  DType::I16, DType::I32, DType::I64,
                            DType::U8,  DType::U16, DType::U32, DType::U64, DType::Bool};

// Values where functions are likely to go wrong, and many others.
Array hard_values(DType type, std::uint64_t seed) {
  Array array;
  array.dtype = type;
  Rng rng(seed);
  if (is_floating(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> values = {
        0,        -0.0,     1,         -1,           0.5,           -0.5,    1.5,
        2.5,      infinity, -infinity, std::nan(""), 1e-40,         -1e-40,  88.7,
        -87.3,    -103,     104,       0.625,        0.6249,        0.92773, 9.5,
        1.17e-38, 3e38,     -3e38,     2147483648.0, -2147483649.0, 300,     -300,
        9.3e18,   1.9e19,   0.7071,    0.70711,      1.41421,       0.99999, 1.00001};
    while (values.size() < kElements) {
      const double scale = std::pow(10.0, rng.uniform(-6, 2.5));
      values.push_back(rng.chance(0.5) ? scale : -scale);
    }
    if (type == DType::F64) {
      array.elements = values;
    } else {
      array.elements = std::vector<float>(values.begin(), values.end());
    }
    return array;
  }
  std::vector<std::int64_t> values = {0, 1, -1, 127, -128, 128, 255, 32767, -32768, 65535};
  values.push_back(std::numeric_limits<std::int64_t>::min());
  values.push_back(std::numeric_limits<std::int64_t>::max());
  while (values.size() < kElements) {
    values.push_back(static_cast<std::int64_t>(rng.next_u64()) >> rng.below(63));
  }
  for (auto& v : values) v = wrap(v, type);
  array.elements = std::move(values);
  return array;
}

// A program with one output per function, all of them of x (and y) in vectors of that width.
class Formulas {
 public:
  Formulas(DType type, std::int64_t width) : type_(type), width_(width) {}

  Mem x() { return {&cx_, x_}; }
  Mem y() { return {&cx_, y_}; }
  void add(DType result, const std::function<Val(Val, Val)>& f) {
    const std::string name = "f" + std::to_string(blocks_.size());
    const std::int64_t dims[] = {kElements};
    const Buffer* out = cx_.buffer(name, result, dims, Role::Output);
    parameters_.push_back(out);
    Expr iterator = cx_.axis("i", kElements);
    Expr outer = cx_.axis(name + ".o", kElements / width_);
    Expr inner = cx_.axis(name + ".i", width_);
    const Ix at{&cx_, iterator};
    Body body{};
    const Iterator iterators[] = {{iterator, IteratorKind::Spatial}};
    const Expr indices[] = {iterator};
    body.iterators = cx_.keep(std::span<const Iterator>(iterators));
    body.target = out;
    body.indices = cx_.keep(std::span<const Expr>(indices));
    body.combine = Combine::Assign;
    body.value = f(x()(at), y()(at)).s;
    const Expr bound[] = {expr::add(
        cx_.indices(), expr::mul(cx_.indices(), outer, expr::Monomial::of(width_)), inner)};
    Stmt block = cx_.block(name, cx_.body(body), bound);
    blocks_.push_back(
        cx_.loop(outer, LoopKind::Serial, cx_.loop(inner, LoopKind::Vectorized, block)));
  }
  Program finish() {
    std::vector<const Buffer*> parameters{x_, y_};
    parameters.insert(parameters.end(), parameters_.begin(), parameters_.end());
    Program program;
    program.name = cx_.name("functions");
    program.parameters = cx_.keep(parameters);
    program.root = cx_.seq(blocks_);
    return program;
  }
  Context& cx() { return cx_; }

 private:
  const Buffer* input(std::string_view name) {
    const std::int64_t dims[] = {kElements};
    return cx_.buffer(name, type_, dims, Role::Input);
  }
  Context cx_;
  DType type_;
  std::int64_t width_;
  const Buffer* x_ = input("x");
  const Buffer* y_ = input("y");
  std::vector<const Buffer*> parameters_;
  std::vector<Stmt> blocks_;
};

// Within 4 units in the last place; below the normal numbers, of the smallest one.
bool is_close(double got, double want, DType type) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return true;
  const bool is_f32 = type == DType::F32;
  const double unit = is_f32 ? std::ldexp(1, -23) : std::ldexp(1, -52);
  const double least = is_f32 ? std::ldexp(1, -126) : std::ldexp(1, -1022);
  return std::fabs(got - want) <= 4 * unit * std::max(std::fabs(want), least);
}

void expect_equal(Formulas& formulas, DType type, std::int64_t width,
                  const std::vector<std::string>& names) {
  const Program program = formulas.finish();
  const std::vector<Array> arguments = {hard_values(type, 1), hard_values(type, 2)};
  const auto want = interpret(formulas.cx(), program, arguments);
  ASSERT_TRUE(want.ok()) << want.rejection().message();
  const auto code = compile_kernel(formulas.cx(), program, host_machine());
  ASSERT_TRUE(code.ok()) << code.rejection().message();
  const auto got = run_native(program, *code, arguments);
  ASSERT_TRUE(got.ok()) << got.rejection().message();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<double> g = (*got)[i].as_doubles();
    const std::vector<double> w = (*want)[i].as_doubles();
    for (std::size_t j = 0; j < g.size(); ++j) {
      ASSERT_TRUE(is_close(g[j], w[j], (*want)[i].dtype))
          << names[i] << " on " << name_of(type) << ", width " << width << ": of "
          << arguments[0].as_doubles()[j] << " and " << arguments[1].as_doubles()[j] << " gives "
          << g[j] << ", not " << w[j];
    }
  }
}

TEST(Functions, OfOneOperandAreAsInterpreted) {
  for (DType type : kTypes) {
    for (std::int64_t width : kWidths) {
      Formulas formulas(type, width);
      std::vector<std::string> names;
      const auto add = [&](UnaryFn fn) {
        if (!accepts(operands_of(fn), type)) return;
        names.emplace_back(name_of(fn));
        formulas.add(type_of(fn, type).value(), [fn](Val x, Val) { return apply(fn, x); });
      };
#define CAMBIUM_X(enumerator, name, operands) add(UnaryFn::enumerator);
      CAMBIUM_FOR_EACH_UNARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
      expect_equal(formulas, type, width, names);
    }
  }
}

TEST(Functions, OfTwoOperandsAreAsInterpreted) {
  for (DType type : kTypes) {
    for (std::int64_t width : kWidths) {
      Formulas formulas(type, width);
      std::vector<std::string> names;
      const auto add = [&](BinaryFn fn) {
        if (!accepts(operands_of(fn), type)) return;
        names.emplace_back(name_of(fn));
        formulas.add(type_of(fn, type, type).value(),
                     [fn](Val x, Val y) { return apply(fn, x, y); });
      };
#define CAMBIUM_X(enumerator, name, operands, sign, level) add(BinaryFn::enumerator);
      CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
      expect_equal(formulas, type, width, names);
    }
  }
}

TEST(Functions, CastBetweenAllTypesAsInterpreted) {
  for (DType from : kTypes) {
    for (std::int64_t width : kWidths) {
      Formulas formulas(from, width);
      std::vector<std::string> names;
      for (DType to : kTypes) {
        names.push_back("cast to " + std::string(name_of(to)));
        formulas.add(to, [to](Val x, Val) { return cast(to, x); });
      }
      expect_equal(formulas, from, width, names);
    }
  }
}

TEST(Functions, RoundToHalfTypesAsInterpreted) {
  for (DType to : {DType::F16, DType::BF16}) {
    for (std::int64_t width : kWidths) {
      Formulas formulas(DType::F32, width);
      formulas.add(to, [](Val x, Val) { return x; });
      formulas.add(to, [](Val x, Val y) { return apply(BinaryFn::Max, x, y); });
      expect_equal(formulas, DType::F32, width,
                   {"store " + std::string(name_of(to)), "maximum as " + std::string(name_of(to))});
    }
  }
}

}  // namespace
}  // namespace cambium::codegen
