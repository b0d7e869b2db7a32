#include "tune/draft_model.h"

#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "program/text.h"
#include "program/verify.h"
#include "tune/traffic.h"

namespace cambium::tune {
namespace {

// One that is not the host: 1 vector operation a cycle at 3.7 GHz, as on the machine that the model
// was compared with.
Machine drafted_machine() {
  Machine m = machine_named("avx512").value();
  m.l1_bytes = 32 << 10;
  m.l2_bytes = 1 << 20;
  m.l3_bytes = 32 << 20;
  m.cores = 2;
  m.ceilings = Ceilings{118, 3.1, 200, 113, 100, 20, 236, 36};
  return m;
}

program::Program parsed(program::Context& cx, const std::string& text) {
  auto program = program::parse(cx, text);
  EXPECT_TRUE(program.ok()) << program.rejection().message() << text;
  const Status ready = program::check(cx, *program, program::Stage::Ready);
  EXPECT_TRUE(ready.ok()) << ready.rejection().message() << text;
  return *program;
}

// A product of 480 x k by k x 480 in tiles of registers, rows by vectors of 16.
std::string product(int rows, int vectors, int k = 256, const std::string& outer = "") {
  const int width = 16 * vectors;
  return fmt::format(R"(
program p(a: f32[480, {2}] input, b: f32[{2}, 480] input, c: f32[480, 480] output) {{
  local t: f32[{0}, {3}] @space("register")
  for jo in {5} {{
    for io in {4} {6} {{
      for i.0 in {0} unrolled {{ for j.0 in {1} unrolled {{ for l.0 in 16 vectorized {{
        block zero(spatial i in 480 = {0}*io + i.0, spatial j in 480 = {3}*jo + 16*j.0 + l.0) {{
          t[i % {0}, j % {3}] = 0.0
        }}
      }} }} }}
      for k in {2} {{
        for i in {0} unrolled {{ for j in {1} unrolled {{ for l in 16 vectorized {{
          block sum(spatial i in 480 = {0}*io + i, spatial j in 480 = {3}*jo + 16*j + l, reduce k = k) {{
            t[i % {0}, j % {3}] += a[i, k] * b[k, j]
          }}
        }} }} }}
      }}
      for i.2 in {0} unrolled {{ for j.2 in {1} unrolled {{ for l.2 in 16 vectorized {{
        block store(spatial i in 480 = {0}*io + i.2, spatial j in 480 = {3}*jo + 16*j.2 + l.2) {{
          c[i, j] = t[i % {0}, j % {3}]
        }}
      }} }} }}
    }}
  }}
}})",
                     rows, vectors, k, width, 480 / rows, 480 / width, outer);
}

DraftEstimate estimate(const std::string& text, int threads = 1) {
  program::Context cx;
  DraftEstimate made = draft_estimate(cx, parsed(cx, text), drafted_machine(), threads);
  for (DraftRow& row : made.rows) row.block = {};  // they lived in the context
  return made;
}

TEST(DraftModel, CountsWhatATileOfRegistersDoes) {
  const DraftEstimate made = estimate(product(6, 3));
  const BlockCost& sum = made.rows[1].cost;
  EXPECT_EQ(sum.accumulators, 18);
  EXPECT_EQ(sum.outer, 80 * 10 * 256);
  EXPECT_EQ(sum.copies * sum.chunks, 18);
  EXPECT_EQ(sum.loads, sum.outer * 3) << "each vector of b once for six rows";
  EXPECT_EQ(sum.broadcasts, sum.outer * 6) << "each element of a once for three vectors";
  EXPECT_EQ(sum.stores, 0) << "accumulators stay in registers";
  EXPECT_EQ(made.rows[2].cost.stores, 480 * 480 / 16);
}

TEST(DraftModel, PutsAGoodTileNearThePeakAndABadOneFarBelow) {
  const double flops = 2.0 * 480 * 480 * 256;
  const double good = flops / estimate(product(6, 3)).seconds / 1e9;
  EXPECT_GT(good, 100);
  EXPECT_LT(good, 118);
  const double single = flops / estimate(product(1, 1)).seconds / 1e9;
  EXPECT_LT(single, 40) << "every operation waits for the one before";
  EXPECT_LT(flops / estimate(product(2, 1)).seconds / 1e9, 80);
}

TEST(DraftModel, ExpectsSpillsOfATileThatIsTooLarge) {
  const DraftEstimate fits = estimate(product(5, 5)), spills = estimate(product(10, 5));
  EXPECT_EQ(fits.rows[1].cost.spills, 0);
  EXPECT_GT(spills.rows[1].cost.spills, 20);
  EXPECT_GT(spills.seconds, 1.2 * fits.seconds);
}

TEST(DraftModel, BoundsAChainByItsLatency) {
  const auto sums = [](int accumulators) {
    return fmt::format(R"(
program p(x: f32[4096] input, y: f32[{0}, 16] output) {{
  local t: f32[{0}, 16] @space("register")
  for a.0 in {0} unrolled {{ for l.0 in 16 vectorized {{
    block zero(spatial a = a.0, spatial l = l.0) {{ t[a, l] = 0.0 }}
  }} }}
  for k in {1} {{ for a in {0} unrolled {{ for l in 16 vectorized {{
    block sum(spatial a = a, spatial l = l, reduce k = k) {{
      t[a, l] += x[{2}*k + 16*a + l]
    }}
  }} }} }}
  for a.2 in {0} unrolled {{ for l.2 in 16 vectorized {{
    block store(spatial a = a.2, spatial l = l.2) {{ y[a, l] = t[a, l] }}
  }} }}
}})",
                       accumulators, 256 / accumulators, 16 * accumulators);
  };
  const DraftRow one = estimate(sums(1)).rows[1], four = estimate(sums(4)).rows[1];
  EXPECT_GT(one.latency, 3 * one.loads);
  EXPECT_NEAR(one.latency, 4 * four.latency, 1e-9);
  EXPECT_GT(one.seconds, 2 * four.seconds);
}

TEST(DraftModel, LeavesOutWhatIsDoneWhenWeightsAreLoaded) {
  program::Context cx;
  const auto program = parsed(cx, R"(
program p(w: f32[64, 64] constant, x: f32[64] input, y: f32[64] output) {
  local packed: f32[64, 64]
  for i in 64 { for j in 64 {
    block pack(spatial i = i, spatial j = j) { packed[j, i] = w[i, j] }
  } }
  for i.2 in 64 {
    block use(spatial i = i.2) { y[i] = packed[0, i] * x[i] }
  }
})");
  const Analysis analysis = analyse(program, drafted_machine());
  EXPECT_TRUE(analysis.blocks[0].at_load);
  EXPECT_FALSE(analysis.blocks[1].at_load);
  const DraftEstimate made = draft_estimate(analysis, drafted_machine(), 1);
  EXPECT_EQ(made.rows[0].seconds, 0);
  EXPECT_GT(made.rows[1].seconds, 0);
}

TEST(DraftModel, SharesLoopsAmongThreadsInWholePieces) {
  const double alone = estimate(product(6, 5, 2000, "parallel")).seconds;
  const double two = estimate(product(6, 5, 2000, "parallel"), 2).seconds;
  EXPECT_NEAR(two / alone, 0.5, 0.05);
  const double serial = estimate(product(6, 5, 2000), 2).seconds;
  EXPECT_NEAR(serial / alone, 1, 0.05) << "nothing is parallel";
  // 16 pieces of 30 rows on 11 threads take two rounds.
  const double eleven = estimate(product(30, 1, 2000, "parallel"), 11).seconds;
  const double eight = estimate(product(30, 1, 2000, "parallel"), 8).seconds;
  EXPECT_NEAR(eleven / eight, 1, 0.02);
}

TEST(DraftModel, SkipsWhatASumWithAConditionDoesNotAdd) {
  const auto taps = [](const std::string& value) {
    return R"(
program p(x: f32[16, 64] input, w: f32[9, 64] input, y: f32[16, 64] output) {
  for o in 16 { for c.0 in 4 { for l.0 in 16 vectorized {
    block zero(spatial o = o, spatial c in 64 = 16*c.0 + l.0) { y[o, c] = 0.0 }
  } } }
  for o.2 in 16 { for k in 9 { for c in 4 { for l in 16 vectorized {
    block sum(spatial o = o.2, spatial c in 64 = 16*c + l, reduce k = k) { y[o, c] += )" +
           value + R"( }
  } } } }
})";
  };
  const auto some =
      estimate(taps("select([0 <= o + k - 4 && o + k < 20], x[o + k - 4, c] * w[k, c], 0.0)"));
  const auto all = estimate(taps("x[o, c] * w[k, c]"));
  // 124 of 144 taps fall inside.
  EXPECT_NEAR(some.rows[1].arithmetic / all.rows[1].arithmetic, 124.0 / 144, 0.02);
}

TEST(DraftModel, KnowsMachinesWithoutCeilings) {
  program::Context cx;
  const auto program = parsed(cx, product(6, 2));
  for (const std::string& name : machine_names()) {
    const Machine plain = machine_named(name).value();
    if (plain.ceilings) continue;
    const double seconds = draft_estimate(cx, program, plain, 1).seconds;
    EXPECT_GT(seconds, 1e-5) << name;
    EXPECT_LT(seconds, 1e-1) << name;
  }
}

TEST(Roofline, IsBelowEverySchedule) {
  program::Context cx;
  const auto lowered = program::parse(cx, R"(
program p(a: f32[480, 256] input, b: f32[256, 480] input, c: f32[480, 480] output) {
  for i in 480 { for j in 480 { for k in 256 {
    block sum(spatial i = i, spatial j = j, reduce k = k) { c[i, j] += a[i, k] * b[k, j] init 0.0 }
  } } }
})");
  ASSERT_TRUE(lowered.ok());
  const double least = roofline_seconds(cx, *lowered, drafted_machine(), 1);
  EXPECT_NEAR(least, 2.0 * 480 * 480 * 256 / 118e9, 1e-6);
  EXPECT_LT(least, estimate(product(6, 3)).seconds);
  EXPECT_NEAR(roofline_seconds(cx, *lowered, drafted_machine(), 2), least / 2, 1e-9);
}

TEST(Roofline, CountsNoProductsWithPadding) {
  program::Context cx;
  const auto lowered = program::parse(cx, R"(
program p(x: f32[14, 64] input, w: f32[3, 64, 64] constant, y: f32[14, 64] output) {
  local t: f32[16, 64]
  for i in 16 { for c in 64 {
    block pad(spatial i = i, spatial c = c) {
      t[i, c] = select([0 <= i - 1 && i - 1 < 14], x[i - 1, c], 0.0)
    }
  } }
  for o in 14 { for d in 64 { for k in 3 { for e in 64 {
    block sum(spatial o = o, spatial d = d, reduce k = k, reduce e = e) {
      y[o, d] += t[o + k, e] * w[k, e, d] init 0.0
    }
  } } } }
})");
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  Machine fast = drafted_machine();
  fast.ceilings->l2_gbs = 1e6;                           // so that arithmetic decides
  const double products = 14.0 * 64 * 3 * 64 * 40 / 42;  // 2 of 42 taps fall outside
  EXPECT_NEAR(roofline_seconds(cx, *lowered, fast, 1), 2 * products / 118e9, 5e-9);
}

// A transposed convolution of 4 pixels with stride 2, in phases, and how many products of a pixel
// and a tap the roofline counts. `value`: what a step adds.
double products_of_transposed(int taps, const std::string& value) {
  program::Context cx;
  const auto lowered = program::parse(cx, fmt::format(R"(
program p(x: f32[4, 64] input, w: f32[{}, 64, 64] constant, y: f32[8, 64] output) {{
  local t: f32[6, 64]
  for i in 6 {{ for c in 64 {{
    block pad(spatial i = i, spatial c = c) {{
      t[i, c] = select([0 <= i - 1 && i - 1 < 4], x[i - 1, c], 0.0)
    }}
  }} }}
  for o in 4 {{ for p in 2 {{ for d in 64 {{ for k in 2 {{ for e in 64 {{
    block sum(spatial o = o, spatial p = p, spatial d = d, reduce k = k, reduce e = e) {{
      y[2*o + p, d] += {} init 0.0
    }}
  }} }} }} }} }}
}})",
                                                      taps, value));
  EXPECT_TRUE(lowered.ok()) << lowered.rejection().message();
  Machine fast = drafted_machine();
  fast.ceilings->l2_gbs = 1e6;  // so that arithmetic decides
  return roofline_seconds(cx, *lowered, fast, 1) * 118e9 / (2 * 64 * 64);
}

constexpr const char* kTransposedStep = "t[o + 1 + (p + 1)/2 - k, e] * w[(p + 1) % 2 + 2*k, e, d]";

TEST(Roofline, CountsEachProductOfATransposedConvolution) {
  // Of 16 pairs of a pixel and a tap, 2 fall outside.
  EXPECT_NEAR(products_of_transposed(4, kTransposedStep), 14, 1e-3);
}

TEST(Roofline, CountsNoTapsThatTheKernelDoesNotHave) {
  // Of 12 pairs of a pixel and a tap, 1 falls outside.
  const std::string masked =
      fmt::format("select([(p + 1) % 2 + 2*k < 3], {}, 0.0)", kTransposedStep);
  EXPECT_NEAR(products_of_transposed(3, masked), 11, 1e-3);
}

}  // namespace
}  // namespace cambium::tune
