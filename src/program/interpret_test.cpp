#include "program/interpret.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/build.h"
#include "program/text.h"

namespace cambium::program {
namespace {

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(rng.uniform(-1, 1));
  return values;
}

Array floats(std::vector<float> values) {
  return Array::of(std::move(values));
}

std::vector<double> run(Context& cx, const Program& program, std::vector<Array> arguments) {
  const auto outputs = interpret(cx, program, arguments);
  EXPECT_TRUE(outputs.ok()) << outputs.rejection().message() << "\n" << to_text(cx, program);
  return outputs.ok() ? outputs->at(0).as_doubles() : std::vector<double>();
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want, double bound) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], bound) << "at " << i;
}

// A convolution as a user means it, whatever its stride, padding, dilation and groups.
struct Conv {
  std::int64_t ci, co, size, kernel, stride, pad, groups;
  std::int64_t out() const { return (size + 2 * pad - kernel) / stride + 1; }
};

Program lowered(Context& cx, const Conv& c) {
  const std::int64_t ci = c.ci / c.groups;
  const std::int64_t co = c.co / c.groups;
  Builder b(cx, "conv");
  const Mem x = b.input("x", {c.ci, c.size, c.size});
  const Mem w = b.constant("w", {c.co, ci, c.kernel, c.kernel});
  const Mem y = b.output("y", {c.co, c.out(), c.out()});
  b.block(
      "conv",
      {spatial("g", c.groups), spatial("co", co), spatial("oh", c.out()), spatial("ow", c.out()),
       reduce("ci", ci), reduce("kh", c.kernel), reduce("kw", c.kernel)},
      [&](Point p) {
        const Ix ih = p[2] * c.stride + p[5] - c.pad;
        const Ix iw = p[3] * c.stride + p[6] - c.pad;
        Val in = x(p[0] * ci + p[4], ih, iw);
        if (c.pad > 0) {
          in = select(within(ih, 0, c.size) && within(iw, 0, c.size), in, number_like(in, 0));
        }
        return sum(y, {p[0] * co + p[1], p[2], p[3]}, in * w(p[0] * co + p[1], p[4], p[5], p[6]));
      });
  return b.finish();
}

std::vector<double> direct(const Conv& c, const std::vector<float>& x,
                           const std::vector<float>& w) {
  const std::int64_t o = c.out();
  const std::int64_t ci = c.ci / c.groups;
  std::vector<double> y(static_cast<std::size_t>(c.co * o * o));
  for (std::int64_t m = 0; m < c.co; ++m) {
    const std::int64_t group = m / (c.co / c.groups);
    for (std::int64_t i = 0; i < o; ++i) {
      for (std::int64_t j = 0; j < o; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < ci * c.kernel * c.kernel; ++k) {
          const std::int64_t channel = k / (c.kernel * c.kernel);
          const std::int64_t h = i * c.stride + k / c.kernel % c.kernel - c.pad;
          const std::int64_t v = j * c.stride + k % c.kernel - c.pad;
          if (h < 0 || v < 0 || h >= c.size || v >= c.size) continue;
          sum +=
              static_cast<double>(
                  x[static_cast<std::size_t>(((group * ci + channel) * c.size + h) * c.size + v)]) *
              static_cast<double>(w[static_cast<std::size_t>(m * ci * c.kernel * c.kernel + k)]);
        }
        y[static_cast<std::size_t>((m * o + i) * o + j)] = sum;
      }
    }
  }
  return y;
}

TEST(Interpreter, ComputesConvolutions) {
  for (const Conv& c :
       {Conv{3, 4, 7, 3, 1, 0, 1}, Conv{3, 4, 7, 3, 1, 1, 1}, Conv{4, 6, 9, 3, 2, 1, 2},
        Conv{6, 6, 8, 3, 1, 1, 6}, Conv{4, 4, 8, 1, 2, 0, 1}, Conv{2, 2, 5, 5, 1, 2, 1}}) {
    Context cx;
    const Program program = lowered(cx, c);
    const auto x = random_floats(static_cast<std::size_t>(c.ci * c.size * c.size), 1);
    const auto w =
        random_floats(static_cast<std::size_t>(c.co * c.ci / c.groups * c.kernel * c.kernel), 2);
    expect_near(run(cx, program, {floats(x), floats(w)}), direct(c, x, w), 1e-5);
    const auto exact =
        interpret(cx, program, std::vector<Array>{floats(x), floats(w)}, Precision::Double);
    expect_near(exact->at(0).as_doubles(), direct(c, x, w), 1e-14);
  }
}

TEST(Interpreter, ComputesMaxPoolingWithStride) {
  Context cx;
  Builder b(cx, "pool");
  const Mem x = b.input("x", {2, 6, 6});
  const Mem y = b.output("y", {2, 3, 3});
  b.block("pool",
          {spatial("c", 2), spatial("i", 3), spatial("j", 3), reduce("r", 2), reduce("s", 2)},
          [&](Point p) {
            return maximum(y, {p[0], p[1], p[2]}, x(p[0], p[1] * 2 + p[3], p[2] * 2 + p[4]));
          });
  std::vector<float> values(72);
  std::iota(values.begin(), values.end(), -50.0f);
  const auto got = run(cx, b.finish(), {floats(values)});
  EXPECT_EQ(got[0], values[7]);
  EXPECT_EQ(got[17], values[71]);
}

TEST(Interpreter, ComputesSoftmaxInStages) {
  Context cx;
  Builder b(cx, "softmax");
  const Mem x = b.input("x", {4, 10});
  const Mem y = b.output("y", {4, 10});
  const Mem most = b.local("most", {4});
  const Mem total = b.local("total", {4});
  b.block("most", {spatial("i", 4), reduce("j", 10)},
          [&](Point p) { return maximum(most, {p[0]}, x(p[0], p[1])); });
  b.block("total", {spatial("i", 4), reduce("j", 10)}, [&](Point p) {
    return sum(total, {p[0]}, apply(UnaryFn::Exp, x(p[0], p[1]) - most(p[0])));
  });
  b.block("scale", {spatial("i", 4), spatial("j", 10)}, [&](Point p) {
    return assign(y, {p[0], p[1]}, apply(UnaryFn::Exp, x(p[0], p[1]) - most(p[0])) / total(p[0]));
  });
  const auto values = random_floats(40, 3);
  std::vector<double> want(40);
  for (std::size_t i = 0; i < 4; ++i) {
    double all = 0;
    for (std::size_t j = 0; j < 10; ++j) all += std::exp(static_cast<double>(values[i * 10 + j]));
    for (std::size_t j = 0; j < 10; ++j) {
      want[i * 10 + j] = std::exp(static_cast<double>(values[i * 10 + j])) / all;
    }
  }
  expect_near(run(cx, b.finish(), {floats(values)}), want, 1e-6);
}

TEST(Interpreter, ComputesLayerNorm) {
  Context cx;
  Builder b(cx, "norm");
  const Mem x = b.input("x", {3, 8});
  const Mem y = b.output("y", {3, 8});
  const Mem mean = b.local("mean", {3});
  const Mem square = b.local("square", {3});
  b.block("mean", {spatial("i", 3), reduce("j", 8)},
          [&](Point p) { return sum(mean, {p[0]}, x(p[0], p[1]) * 0.125); });
  b.block("square", {spatial("i", 3), reduce("j", 8)}, [&](Point p) {
    const Val d = x(p[0], p[1]) - mean(p[0]);
    return sum(square, {p[0]}, d * d * 0.125);
  });
  b.block("scale", {spatial("i", 3), spatial("j", 8)}, [&](Point p) {
    return assign(y, {p[0], p[1]},
                  (x(p[0], p[1]) - mean(p[0])) / apply(UnaryFn::Sqrt, square(p[0]) + 1e-5));
  });
  const auto values = random_floats(24, 4);
  std::vector<double> want(24);
  for (std::size_t i = 0; i < 3; ++i) {
    double m = 0;
    double v = 0;
    for (std::size_t j = 0; j < 8; ++j) m += static_cast<double>(values[i * 8 + j]) / 8;
    for (std::size_t j = 0; j < 8; ++j) {
      const double d = static_cast<double>(values[i * 8 + j]) - m;
      v += d * d / 8;
    }
    for (std::size_t j = 0; j < 8; ++j) {
      want[i * 8 + j] = (static_cast<double>(values[i * 8 + j]) - m) / std::sqrt(v + 1e-5);
    }
  }
  expect_near(run(cx, b.finish(), {floats(values)}), want, 1e-5);
}

TEST(Interpreter, ComputesResizeConcatAndGather) {
  Context cx;
  const Program program = parse(cx, R"(
    program p(a: f32[4] input, b: f32[3] input, ids: i64[5] input, y: f32[20] output) {
      for i in 8 { block resize(spatial i = i) { y[i] = a[i/2] } }
      for j in 7 {
        block concat(spatial j = j) {
          y[j + 8] = select([j < 4], a[j], select([4 <= j], b[j - 4], 0.0))
        }
      }
      for k in 5 { block gather(spatial k = k) { y[k + 15] = gather(a, ids[k]) } }
    })")
                              .value();
  const std::vector<std::int64_t> ids = {3, 0, 1, 1, 2};
  const auto got =
      run(cx, program,
          {floats({1, 2, 3, 4}), floats({5, 6, 7}), Array::of(std::span<const std::int64_t>(ids))});
  EXPECT_EQ(got, (std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4, 1, 2, 3, 4, 5, 6, 7, 4, 1, 2, 2, 3}));
}

TEST(Interpreter, RunsSplitGuardedAndReorderedLoops) {
  Context cx;
  const Program program = parse(cx, R"(
    program p(a: f32[10, 6] input, y: f32[10] output) {
      for k.o in 2 {
        for i.o in 3 parallel {
          for k.i in 3 {
            for i.i in 4 vectorized {
              block p(spatial i in 10 = 4*i.o + i.i, reduce k in 6 = 3*k.o + k.i) if 4*i.o + i.i < 10 {
                y[i] += a[i, k] init 100.0
              }
            }
          }
        }
      }
    })")
                              .value();
  std::vector<float> a(60);
  std::iota(a.begin(), a.end(), 0.0f);
  const auto got = run(cx, program, {floats(a)});
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(got[i], 100.0 + 36.0 * static_cast<double>(i) + 15.0);
  }
}

TEST(Interpreter, WrapsWholeNumbersAndRoundsWhatIsStored) {
  Context cx;
  const Program program = parse(cx, R"(
    program p(a: i8[3] input, b: i8[3] output, h: f16[1] output, u: u8[3] output, t: bool[3] output) {
      for i in 3 { block b(spatial i = i) { b[i] = a[i] + i8(1) } }
      block h() { h[0] = 2049.0 }
      for j in 3 { block u(spatial i = j) { u[i] = u8(f32(a[i]) * 3.0) } }
      for k in 3 { block t(spatial i = k) { t[i] = a[i] < i8(0) } }
    })")
                              .value();
  const std::vector<std::int8_t> a = {127, -1, 100};
  const auto got = interpret(cx, program, std::vector<Array>{Array::of(std::span(a.data(), 3))});
  ASSERT_TRUE(got.ok()) << got.rejection().message();
  EXPECT_EQ(got->at(0).as_doubles(), (std::vector<double>{-128, 0, 101}));
  EXPECT_EQ(got->at(1).as_doubles(), (std::vector<double>{2048}));
  EXPECT_EQ(got->at(2).as_doubles(), (std::vector<double>{255, 0, 255}));
  EXPECT_EQ(got->at(3).as_doubles(), (std::vector<double>{0, 1, 0}));
}

Rejection refusal(std::string_view text, std::vector<Array> arguments,
                  std::optional<std::uint64_t> shuffle = std::nullopt) {
  Context cx;
  const Program program = parse(cx, text).value();
  auto compiled = Interpreter::compile(cx, program);
  if (!compiled.ok()) return compiled.rejection();
  auto result = compiled->run(arguments, shuffle);
  EXPECT_FALSE(result.ok());
  return result.ok() ? Rejection(Reason::NotFound, "nothing") : result.rejection();
}

TEST(Interpreter, RefusesWhatLeavesItsBuffer) {
  const Rejection read = refusal(
      "program p(x: f32[4, 4] input, y: f32[4] output) { for i in 4 { block s(spatial i = i) "
      "{ y[i] = x[1, i + 1] } } }",
      {floats(std::vector<float>(16))});
  EXPECT_EQ(read.message(), "block 's' reads x[1, 4] of x[4, 4]");
  const Rejection write = refusal(
      "program p(y: f32[4] output) { for i in 4 { block s(spatial i = i) { y[2*i] = 1.0 } } }", {});
  EXPECT_EQ(write.message(), "block 's' writes y[4] of y[4]");
  const std::vector<std::int64_t> ids = {-1};
  const Rejection gather = refusal(
      "program p(x: f32[4] input, k: i64[1] input, y: f32[1] output) { block s() { y[0] = "
      "gather(x, k[0]) } }",
      {floats({1, 2, 3, 4}), Array::of(std::span<const std::int64_t>(ids))});
  EXPECT_EQ(gather.message(), "block 's' reads x at -1 of x[4]");
  EXPECT_EQ(gather.reason(), Reason::OutOfBounds);
}

TEST(Interpreter, RefusesReadsOfWhatNothingWrote) {
  EXPECT_EQ(refusal("program p(y: f32[2] output) { local t: f32[2] for i in 2 { block a(spatial i "
                    "= i) if i < 1 { t[i] = 1.0 } } for j in 2 { block b(spatial i = j) { y[i] = "
                    "t[i] } } }",
                    {})
                .message(),
            "block 'b' reads t[1], which no block has written");
  // An update whose first position is never reached has no initial value.
  EXPECT_EQ(refusal("program p(y: f32[1] output) { for k in 4 { block a(reduce k = k) if 1 <= k { "
                    "y[0] += 1.0 init 0.0 } } }",
                    {})
                .reason(),
            Reason::ReadUnwritten);
  // A local lives in one iteration of the loop around all its uses.
  EXPECT_EQ(refusal("program p(y: f32[3] output) { local t: f32[3] for i in 3 { block a(spatial i "
                    "= i) { t[i] = 1.0 } block b(spatial i = i) { y[i] = t[i/2] } } }",
                    {})
                .message(),
            "block 'b' reads t[0], which no block has written");
  EXPECT_EQ(refusal("program p(y: f32[3] output) { for i in 2 { block a(spatial i = i) { y[i] = "
                    "1.0 } } }",
                    {})
                .reason(),
            Reason::OutputNotWritten);
}

TEST(Interpreter, RefusesArgumentsThatDoNotFit) {
  const std::string_view text =
      "program p(x: f32[4] input, y: f32[4] output) { for i in 4 { block s(spatial i = i) { y[i] = "
      "x[i] } } }";
  EXPECT_EQ(refusal(text, {}).reason(), Reason::WrongArgument);
  EXPECT_EQ(refusal(text, {floats({1, 2})}).reason(), Reason::WrongArgument);
  EXPECT_EQ(refusal(text, {floats({1, 2, 3, 4}), floats({1})}).reason(), Reason::WrongArgument);
  const std::vector<std::int64_t> whole = {1, 2, 3, 4};
  EXPECT_EQ(refusal(text, {Array::of(std::span<const std::int64_t>(whole))}).reason(),
            Reason::WrongArgument);
}

TEST(Interpreter, RefusesToWriteInputsAndToHoldTooMuch) {
  EXPECT_EQ(refusal("program p(x: f32[1] input) { block s() { x[0] = 1.0 } }", {}).reason(),
            Reason::WritesReadOnly);
  EXPECT_EQ(refusal("program p(x: f32[4294967296] input) { }", {}).reason(), Reason::TooLarge);
}

// The second iteration of the parallel loop reads what the first has written: in order this works,
// and in another order it shows.
TEST(Interpreter, ExposesAParallelLoopThatDependsOnItsOrder) {
  const std::string_view text =
      "program p(y: f32[8] output) { for i in 8 parallel { block s(spatial i = i) { y[i] = "
      "select([i == 0], 1.0, y[max(i - 1, 0)]) } } }";
  Context cx;
  const Interpreter compiled = Interpreter::compile(cx, parse(cx, text).value()).value();
  EXPECT_TRUE(compiled.run({}).ok());
  EXPECT_EQ(compiled.run({}, 7).rejection().reason(), Reason::ReadUnwritten);
}

}  // namespace
}  // namespace cambium::program
