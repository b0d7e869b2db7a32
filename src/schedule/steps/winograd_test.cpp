#include "schedule/steps/winograd.h"

#include <algorithm>
#include <cmath>

#include "program/build.h"
#include "program/walk.h"
#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/reorder.h"
#include "schedule/steps/split.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

using program::Builder;
using program::Mem;
using program::Point;
using program::reduce;
using program::spatial;

struct Shape {
  std::int64_t height, width, in, out;  // of the result
};

// y[h, w, oc] += x[h + kh, w + kw, ic] * w[oc, ic, kh, kw], channels last.
Program conv(Context& cx, const Shape& s, DType type = DType::F64) {
  Builder b(cx, "conv");
  const Mem x = b.input("x", {s.height + 2, s.width + 2, s.in}, type);
  const Mem w = b.constant("w", {s.out, s.in, 3, 3}, type);
  const Mem y = b.output("y", {s.height, s.width, s.out}, type);
  b.block("conv",
          {spatial("oh", s.height), spatial("ow", s.width), spatial("oc", s.out), reduce("kh", 3),
           reduce("kw", 3), reduce("ic", s.in)},
          [&](Point p) {
            return sum(y, {p[0], p[1], p[2]},
                       x(p[0] + p[3], p[1] + p[4], p[5]) * w(p[2], p[5], p[3], p[4]));
          });
  return b.finish();
}

std::vector<program::Array> random_numbers(const Program& program, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<program::Array> arrays;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    std::vector<double> values(static_cast<std::size_t>(buffer->elements()));
    for (double& v : values) v = rng.uniform(-1, 1);
    arrays.push_back(program::Array::of(std::span<const double>(values)));
  }
  return arrays;
}

// The largest difference of what two programs compute.
double distance(Context& cx, const Program& a, const Program& b, std::uint64_t seed) {
  const auto arguments = random_numbers(a, seed);
  const auto wanted = program::interpret(cx, a, arguments).value()[0].as_doubles();
  const auto found = program::interpret(cx, b, arguments).value()[0].as_doubles();
  double most = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    most = std::max(most, std::abs(wanted[i] - found[i]));
  }
  return most;
}

TEST(Winograd, MakesSevenBlocksAndSixLocals) {
  Subject s([](Context& cx) { return conv(cx, {4, 6, 3, 5}); });
  EXPECT_EQ(s.apply(Winograd{"conv", 2}),
            (Names{"conv.weights.rows", "conv.weights", "conv.data.rows", "conv.data", "conv",
                   "conv.output.rows", "conv.output", "conv.weights.rows", "conv.weights",
                   "conv.data.rows", "conv.data", "conv.products", "conv.output.rows"}));
  const program::Block* products = program::find_block(s.program(), "conv");
  ASSERT_NE(products, nullptr);
  std::int64_t points = 1;
  for (const program::Iterator& it : products->body->iterators) points *= it.extent();
  EXPECT_EQ(points, 16 * (2 * 3) * 3 * 5);  // 4 per output instead of 9
}

TEST(Winograd, IsExactInHalves) {
  // Subject compares bit by bit, on whole numbers; also where tiles reach beyond the image.
  for (const Shape& shape : {Shape{2, 2, 1, 1}, Shape{4, 4, 2, 3}, Shape{5, 4, 3, 2},
                             Shape{3, 7, 2, 2}, Shape{1, 1, 2, 2}}) {
    Subject s([&](Context& cx) { return conv(cx, shape); });
    s.apply(Winograd{"conv", 2});
  }
}

TEST(Winograd, IsTheSameUpToRoundingInLargerTiles) {
  std::uint64_t seed = 1;
  for (const Shape& shape : {Shape{4, 4, 3, 2}, Shape{8, 4, 2, 2}, Shape{5, 6, 2, 2},
                             Shape{7, 7, 3, 2}, Shape{1, 9, 1, 1}}) {
    Context cx;
    const Program before = conv(cx, shape);
    const auto after = Winograd{"conv", 4}.apply(cx, before);
    ASSERT_TRUE(after.ok()) << after.rejection().message();
    // Sums of 9 * in terms of at most 1; the transforms make rounding up to some ten times larger,
    // and at least one number is rounded.
    const double off = distance(cx, before, after->program, seed++);
    EXPECT_LT(off, 20 * 9 * static_cast<double>(shape.in) * 0x1p-53);
    EXPECT_GT(off, 0);
  }
}

TEST(Winograd, ReadsZerosOnlyWhereTilesReachBeyondTheData) {
  Subject whole([](Context& cx) { return conv(cx, {4, 8, 2, 2}); });
  whole.apply(Winograd{"conv", 2});
  EXPECT_EQ(whole.text().find("< 6]"), std::string::npos) << whole.text();
  Subject partial([](Context& cx) { return conv(cx, {5, 8, 2, 2}); });
  partial.apply(Winograd{"conv", 2});
  EXPECT_NE(partial.text().find("< 7]"), std::string::npos) << partial.text();
}

// Batch, groups, taps in depth, channels first: iterators and dimensions in other orders.
constexpr std::string_view kDeep = R"(
  program deep(x: f64[2, 4, 6, 7, 4] input, w: f64[3, 3, 3, 2, 2] constant,
               y: f64[2, 2, 4, 5, 4] output) {
    for n in 2 { for d in 2 { for g in 2 { for a in 4 { for b in 5 { for oc in 2 {
      for r in 3 { for s in 3 { for t in 3 { for ic in 2 {
        block c(spatial n = n, spatial d = d, spatial g = g, spatial a = a, spatial b = b,
                spatial oc = oc, reduce r = r, reduce s = s, reduce t = t, reduce ic = ic) {
          y[n, d, a, b, 2*g + oc] += x[n, d + r, a + t, b + s, 2*g + ic] * w[s, t, r, ic, oc]
              init f64(0)
        }
      } } } } } } } } } }
  })";
constexpr std::string_view kFirst = R"(
  program first(x: f64[2, 5, 6] input, w: f64[3, 2, 3, 3] constant, y: f64[3, 3, 4] output) {
    for p in 3 { for th in 3 { for tw in 4 { for kh in 3 { for kw in 3 { for q in 2 {
      block c(spatial p = p, spatial th = th, spatial tw = tw, reduce kh = kh, reduce kw = kw,
              reduce q = q) {
        y[p, th, tw] += w[p, q, kh, kw] * x[q, th + kh, tw + kw] init f64(0)
      }
    } } } } } }
  })";

TEST(Winograd, TakesFurtherIteratorsInAnyOrder) {
  for (const std::string_view text : {kDeep, kFirst}) {
    Subject s(text);
    s.apply(Winograd{"c", 2});
  }
}

TEST(Winograd, SumsOverTapsAloneWhereThereAreNoChannels) {
  Subject s(R"(
    program depthwise(x: f64[6, 6, 3] input, w: f64[3, 3, 3] constant, y: f64[4, 4, 3] output) {
      for a in 4 { for b in 4 { for c in 3 { for r in 3 { for s in 3 {
        block c(spatial a = a, spatial b = b, spatial c = c, reduce r = r, reduce s = s) {
          y[a, b, c] += x[a + r, b + s, c] * w[r, s, c] init f64(0)
        }
      } } } } }
    })");
  s.apply(Winograd{"c", 2});
}

TEST(Winograd, ComputesInTheTypeOfTheSum) {
  Subject s(R"(
    program narrow(x: f16[6, 6] input, w: f16[3, 3] constant, y: f32[4, 4] output) {
      for a in 4 { for b in 4 { for r in 3 { for s in 3 {
        block c(spatial a = a, spatial b = b, reduce r = r, reduce s = s) {
          y[a, b] += x[a + r, b + s] * w[r, s] init 0.0
        }
      } } } }
    })");
  s.apply(Winograd{"c", 2});
  EXPECT_NE(s.text().find("local c.data: f32"), std::string::npos) << s.text();
}

std::optional<Reason> refusal_of(const std::string& sum, const std::string& extra = "") {
  Subject s("program p(x: f64[11, 11, 2] input, w: f64[3, 3, 2] constant, v: f64[3, 3, 2] input, " +
            std::string("y: f64[4, 4] output) {") + extra +
            "for a in 4 { for b in 4 { for r in 3 { for s in 3 { for k in 2 {"
            "block c(spatial a = a, spatial b = b, reduce r = r, reduce s = s, reduce k = k) { " +
            sum + " } } } } } } }");
  return s.refusal(Winograd{"c", 2});
}

TEST(Winograd, RefusesAndSaysWhatIsInTheWay) {
  EXPECT_EQ(refusal_of("y[a, b] += x[a + r, b + s, k] * w[r, s, k] init f64(0)"), std::nullopt);
  for (const char* sum : {
           "y[a, b] += x[2*a + r, b + s, k] * w[r, s, k] init f64(0)",    // stride
           "y[a, b] += x[a + 2*r, b + s, k] * w[r, s, k] init f64(0)",    // dilation
           "y[a, b] += x[a + r, s, k] * w[r, s, k] init f64(0)",          // moves in one only
           "y[a, b] += x[a + r, b + s, k] * v[r, s, k] init f64(0)",      // no constant
           "y[a, b] += x[a + r, b + s, k] * w[s, s, k] init f64(0)",      // taps meet
           "y[a, b] += x[a + r, b + s, k] + w[r, s, k] init f64(0)",      // no product
           "y[a, b] max= x[a + r, b + s, k] * w[r, s, k] init f64(0)",    // no sum
           "y[a, b] += x[a + r, b + s, k] * w[r, s, k] init f64(1)",      // begins elsewhere
           "y[a, b] += x[a + r, b + s + a, k] * w[r, s, k] init f64(0)",  // window drifts
       }) {
    EXPECT_EQ(refusal_of(sum), Reason::NotWinograd) << sum;
  }
  Subject large([](Context& cx) { return conv(cx, {1 << 20, 1 << 19, 1, 1}); });
  EXPECT_EQ(large.refusal(Winograd{"conv", 2}), Reason::BufferTooLarge);
  Subject s([](Context& cx) { return conv(cx, {4, 4, 2, 2}); });
  EXPECT_EQ(s.refusal(Winograd{"nothing", 2}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Winograd{"conv", 3}), Reason::BadFactors);
  s.apply(Reorder{{"ow", "oh"}});
  EXPECT_EQ(s.refusal(Winograd{"conv", 2}), std::nullopt);
  s.apply(Split{"oh", {0, 2}});
  EXPECT_EQ(s.refusal(Winograd{"conv", 2}), Reason::NotWinograd);
}

}  // namespace
}  // namespace cambium::schedule
