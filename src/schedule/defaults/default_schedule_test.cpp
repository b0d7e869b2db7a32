#include "schedule/defaults/default_schedule.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/build.h"
#include "program/interpret.h"
#include "program/text.h"
#include "program/verify.h"

namespace cambium::schedule {
namespace {

using program::Array;
using program::BinaryFn;
using program::Builder;
using program::Ix;
using program::LoopKind;
using program::Mem;
using program::Point;
using program::reduce;
using program::spatial;
using program::Val;

Machine wide_machine() {
  return *machine_named("avx512");
}

std::vector<Array> random_arguments(const Program& program) {
  Rng rng(5);
  std::vector<Array> arguments;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    std::vector<float> values(static_cast<std::size_t>(buffer->elements()));
    for (float& v : values) v = static_cast<float>(rng.below(9)) - 4.0f;
    arguments.push_back(Array::of(std::move(values)));
  }
  return arguments;
}

void expect_equal(Context& cx, const Program& before, const Program& after) {
  const auto arguments = random_arguments(before);
  const auto wanted = program::interpret(cx, before, arguments, program::Precision::Double);
  const auto got = program::interpret(cx, after, arguments, program::Precision::Double);
  ASSERT_TRUE(wanted.ok()) << wanted.rejection().message();
  ASSERT_TRUE(got.ok()) << got.rejection().message() << program::to_text(cx, after);
  for (std::size_t o = 0; o < wanted->size(); ++o) {
    const auto a = (*wanted)[o].as_doubles(), b = (*got)[o].as_doubles();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a[i], b[i], 1e-12 * (1 + std::abs(a[i]))) << "element " << i;
    }
  }
}

// Schedules, checks, and gives the text of what came out.
std::string scheduled(Context& cx, const Program& program,
                      const Machine& machine = wide_machine()) {
  const auto s = default_schedule(cx, program, machine);
  EXPECT_TRUE(s.ok()) << (s.ok() ? "" : s.rejection().message());
  if (!s.ok()) return "";
  EXPECT_TRUE(program::check(cx, s->program(), program::Stage::Ready).ok());
  expect_equal(cx, program, s->program());
  const auto again = replay(cx, program, s->trace());
  EXPECT_TRUE(again.ok());
  return program::to_text(cx, s->program());
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

Program matmul(Context& cx, std::int64_t m, std::int64_t n, std::int64_t k) {
  Builder b(cx, "matmul");
  const Mem x = b.input("x", {m, k}), w = b.constant("w", {n, k}), bias = b.constant("bias", {n});
  const Mem acc = b.local("acc", {m, n}), y = b.output("y", {m, n});
  b.block("dot", {spatial("i", m), spatial("j", n), reduce("k", k)}, [&](Point p) {
    return sum(acc, {p[0], p[1]}, x(p[0], p[2]) * w(p[1], p[2]));
  });
  b.block("out", {spatial("i", m), spatial("j", n)}, [&](Point p) {
    return assign(y, {p[0], p[1]}, apply(BinaryFn::Max, b.number(0), acc(p[0], p[1]) + bias(p[1])));
  });
  return b.finish();
}

TEST(DefaultSchedule, PutsTheTileOfAMatrixProductIntoRegisters) {
  Context cx;
  const std::string text = scheduled(cx, matmul(cx, 24, 128, 20));
  EXPECT_EQ(count(text, "space(\"register\")"), 1u) << text;
  EXPECT_NE(text.find("in 16 vectorized"), std::string::npos);
}

TEST(DefaultSchedule, CutsTailsOffRowsAndColumns) {
  Context cx;
  scheduled(cx, matmul(cx, 13, 100, 20));
  scheduled(cx, matmul(cx, 1, 1000, 7));
  scheduled(cx, matmul(cx, 50, 5, 33));
  scheduled(cx, matmul(cx, 7, 17, 1));
}

TEST(DefaultSchedule, ServesNarrowMachinesToo) {
  Context cx;
  scheduled(cx, matmul(cx, 13, 40, 20), *machine_named("avx2"));
  scheduled(cx, matmul(cx, 13, 40, 20), *machine_named("aarch64"));
}

struct Conv {
  std::int64_t size, in, out, kernel, stride, pad, groups;
};

Program conv(Context& cx, const Conv& c) {
  Builder b(cx, "conv");
  const std::int64_t padded = c.size + 2 * c.pad;
  const std::int64_t after = (padded - c.kernel) / c.stride + 1;
  const std::int64_t per_out = c.out / c.groups, per_in = c.in / c.groups;
  const Mem x = b.input("x", {1, c.size, c.size, c.in});
  const Mem w = b.constant("w", {c.out, per_in, c.kernel, c.kernel});
  const Mem y = b.output("y", {1, after, after, c.out});
  const Mem pad = b.local("pad", {1, padded, padded, c.in});
  const Mem acc = b.local("acc", {1, after, after, c.out});
  b.block("pad", {spatial("n", 1), spatial("h", padded), spatial("w", padded), spatial("c", c.in)},
          [&](Point p) {
            const Ix h = p[1] - c.pad, v = p[2] - c.pad;
            return assign(pad, {p[0], p[1], p[2], p[3]},
                          select(within(h, 0, c.size) && within(v, 0, c.size), x(p[0], h, v, p[3]),
                                 b.number(0)));
          });
  const bool depthwise = per_in == 1 && per_out == 1 && c.groups > 1;
  if (c.groups == 1) {
    b.block("conv",
            {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("oc", c.out),
             reduce("kh", c.kernel), reduce("kw", c.kernel), reduce("ic", c.in)},
            [&](Point p) {
              return sum(acc, {p[0], p[1], p[2], p[3]},
                         pad(p[0], p[1] * c.stride + p[4], p[2] * c.stride + p[5], p[6]) *
                             w(p[3], p[6], p[4], p[5]));
            });
  } else if (depthwise) {
    b.block("conv",
            {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("c", c.out),
             reduce("kh", c.kernel), reduce("kw", c.kernel)},
            [&](Point p) {
              return sum(acc, {p[0], p[1], p[2], p[3]},
                         pad(p[0], p[1] * c.stride + p[4], p[2] * c.stride + p[5], p[3]) *
                             w(p[3], b.index(0), p[4], p[5]));
            });
  } else {
    b.block("conv",
            {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("g", c.groups),
             spatial("oc", per_out), reduce("kh", c.kernel), reduce("kw", c.kernel),
             reduce("ic", per_in)},
            [&](Point p) {
              return sum(
                  acc, {p[0], p[1], p[2], p[3] * per_out + p[4]},
                  pad(p[0], p[1] * c.stride + p[5], p[2] * c.stride + p[6], p[3] * per_in + p[7]) *
                      w(p[3] * per_out + p[4], p[7], p[5], p[6]));
            });
  }
  b.block("relu",
          {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("c", c.out)},
          [&](Point p) {
            return assign(y, {p[0], p[1], p[2], p[3]},
                          apply(BinaryFn::Max, b.number(0), acc(p[0], p[1], p[2], p[3])));
          });
  return b.finish();
}

TEST(DefaultSchedule, TilesPixelsOfAConvolutionWhateverTheWidth) {
  Context cx;
  const std::string text = scheduled(cx, conv(cx, {7, 8, 64, 3, 1, 1, 1}));
  EXPECT_GE(count(text, "space(\"register\")"), 1u) << text;
}

TEST(DefaultSchedule, TilesStridedGroupedAndDepthwiseConvolutions) {
  Context cx;
  scheduled(cx, conv(cx, {9, 3, 20, 3, 2, 1, 1}));
  EXPECT_GE(count(scheduled(cx, conv(cx, {6, 8, 64, 3, 1, 1, 2})), "space(\"register\")"), 1u);
  EXPECT_GE(count(scheduled(cx, conv(cx, {8, 32, 32, 3, 1, 1, 32})), "space(\"register\")"), 1u);
}

TEST(DefaultSchedule, LetsNarrowGroupsShareVectorsAndCutsTheBorders) {
  Context cx;
  const std::string text = scheduled(cx, conv(cx, {21, 16, 16, 3, 1, 1, 4}));
  EXPECT_NE(text.find("spatial g.oc"), std::string::npos) << text;
  EXPECT_EQ(count(text, "local pad"), 0u) << "padding is read where it is used";
}

TEST(DefaultSchedule, ReadsThroughATransposition) {
  Context cx;
  Builder b(cx, "scores");
  const Mem q = b.input("q", {20, 3, 8}), v = b.input("v", {32, 3, 8});
  const Mem t = b.local("t", {3, 8, 32}), y = b.output("y", {3, 20, 32});
  b.block("turn", {spatial("h", 3), spatial("k", 8), spatial("j", 32)}, [&](Point p) {
    return assign(t, {p[0], p[1], p[2]}, v(p[2], p[0], p[1]));
  });
  b.block("dot", {spatial("h", 3), spatial("i", 20), spatial("j", 32), reduce("k", 8)},
          [&](Point p) {
            return sum(y, {p[0], p[1], p[2]}, q(p[1], p[0], p[3]) * t(p[0], p[3], p[2]));
          });
  const std::string text = scheduled(cx, b.finish());
  EXPECT_EQ(count(text, "local t:"), 0u) << text;
  EXPECT_GE(count(text, "space(\"register\")"), 1u);
}

TEST(DefaultSchedule, GivesLanesToAReductionAlongMemory) {
  Context cx;
  Builder b(cx, "norm");
  const Mem x = b.input("x", {2, 128}), s = b.local("s", {2}), y = b.output("y", {2});
  b.block("square", {spatial("i", 2), reduce("k", 128)},
          [&](Point p) { return sum(s, {p[0]}, x(p[0], p[1]) * x(p[0], p[1])); });
  b.block("root", {spatial("i", 2)},
          [&](Point p) { return assign(y, {p[0]}, apply(program::UnaryFn::Sqrt, s(p[0]))); });
  EXPECT_GE(count(scheduled(cx, b.finish()), "vectorized"), 1u);
}

TEST(DefaultSchedule, WorksThroughASoftmaxRowByRow) {
  Context cx;
  Builder b(cx, "softmax");
  const Mem x = b.input("x", {6, 64}), y = b.output("y", {6, 64});
  const Mem m = b.local("m", {6}), e = b.local("e", {6, 64}), s = b.local("s", {6});
  b.block("max", {spatial("i", 6), reduce("k", 64)},
          [&](Point p) { return maximum(m, {p[0]}, x(p[0], p[1])); });
  b.block("exp", {spatial("i", 6), spatial("j", 64)}, [&](Point p) {
    return assign(e, {p[0], p[1]}, apply(program::UnaryFn::Exp, x(p[0], p[1]) - m(p[0])));
  });
  b.block("sum", {spatial("i", 6), reduce("k", 64)},
          [&](Point p) { return sum(s, {p[0]}, e(p[0], p[1])); });
  b.block("div", {spatial("i", 6), spatial("j", 64)}, [&](Point p) {
    return assign(y, {p[0], p[1]}, e(p[0], p[1]) / s(p[0]));
  });
  const std::string text = scheduled(cx, b.finish());
  EXPECT_EQ(count(text, "local e: f32[1, 64]"), 1u) << text;
}

TEST(DefaultSchedule, LeavesWhatItCannotTileCorrect) {
  Context cx;
  Builder b(cx, "transpose");
  const Mem x = b.input("x", {5, 37}), y = b.output("y", {37, 5});
  b.block("move", {spatial("i", 37), spatial("j", 5)}, [&](Point p) {
    return assign(y, {p[0], p[1]}, x(p[1], p[0]));
  });
  scheduled(cx, b.finish());
}

TEST(DefaultSchedule, RefusesAProgramThatIsNotLowered) {
  Context cx;
  Builder b(cx, "half");
  const Mem y = b.output("y", {4});
  b.block("part", {spatial("i", 3)}, [&](Point p) { return assign(y, {p[0]}, b.number(1)); });
  const auto s = default_schedule(cx, b.finish(), wide_machine());
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.rejection().reason(), Reason::OutputNotWritten);
}

}  // namespace
}  // namespace cambium::schedule
