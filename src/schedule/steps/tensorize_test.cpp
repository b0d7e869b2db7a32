#include "schedule/steps/tensorize.h"

#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

// A tile of 2 rows by 3 vectors of 4 lanes; `value` and `target` are what the block does.
std::string tile(const std::string& value, const std::string& combine = "+=") {
  return R"(
  program p(a: f32[4, 5] input, b: f32[5, 24] input, y: f32[4, 24] output) {
    local t: f32[2, 12]
    for i in 2 { for j in 2 {
      for k in 5 { for r in 2 { for v in 3 { for l in 4 {
        block t(spatial m in 4 = 2*i + r, spatial n in 24 = 12*j + 4*v + l, reduce k = k) {
          t[m % 2, n % 12] )" +
         combine + " " + value + R"( init 0.0
        }
      } } } }
      for r.2 in 2 { for c in 12 {
        block y(spatial m in 4 = 2*i + r.2, spatial n in 24 = 12*j + c) { y[m, n] = t[m % 2, n % 12] }
      } }
    } }
  })";
}

TEST(Tensorize, GivesATileToAMicroKernel) {
  Subject s(tile("a[m, k] * b[k, n]"));
  EXPECT_EQ(s.apply(Tensorize{"k", "2x3", 16}), Names());
  const std::string text = s.text();
  for (const char* part : {"local t: f32[2, 12] @space(\"register\")", "for r in 2 unrolled",
                           "for v in 3 unrolled", "for l in 4 vectorized", "@kernel(\"2x3\")"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Tensorize, TakesTheFactorsInEitherOrder) {
  Subject s(tile("b[k, n] * a[m, k]"));
  s.apply(Tensorize{"k", "2x3", 16});
}

TEST(Tensorize, RefusesTilesOfAnotherSizeOrTooLargeOnes) {
  Subject s(tile("a[m, k] * b[k, n]"));
  EXPECT_EQ(s.refusal(Tensorize{"nowhere", "2x3", 16}), Reason::UnknownName);
  for (const char* kernel : {"", "2", "2x", "x3", "2x3x", "0x3", "3x2"}) {
    EXPECT_EQ(s.refusal(Tensorize{"k", kernel, 16}), Reason::BadFactors) << kernel;
  }
  EXPECT_EQ(s.refusal(Tensorize{"k", "2x3", 9}), Reason::TooManyRegisters);
  EXPECT_EQ(s.refusal(Tensorize{"k", "2x3", 10}), std::nullopt);
}

TEST(Tensorize, RefusesWhatIsNoContraction) {
  EXPECT_EQ(Subject(tile("a[m, k] + b[k, n]")).refusal(Tensorize{"k", "2x3", 16}),
            Reason::NotAContraction);
  EXPECT_EQ(Subject(tile("a[m, k] * b[k, -n + 23]")).refusal(Tensorize{"k", "2x3", 16}),
            Reason::NotAContraction);  // lanes backwards
  EXPECT_EQ(Subject(tile("a[m, k] * b[k, n]", "max=")).refusal(Tensorize{"k", "2x3", 16}),
            Reason::NotAContraction);
  Subject s(tile("a[m, k] * b[k, n]"));
  EXPECT_EQ(s.refusal(Tensorize{"j", "2x3", 16}), Reason::NotAContraction);    // holds more
  EXPECT_EQ(s.refusal(Tensorize{"r", "2x3", 16}), Reason::NotAContraction);    // too few loops
  EXPECT_EQ(s.refusal(Tensorize{"r.2", "2x3", 16}), Reason::NotAContraction);  // too few loops
}

constexpr std::string_view kWhole = R"(
  program p(a: f32[4, 5] input, b: f32[5, 24] input, y: f32[4, 24] output) {
    local t: f32[4, 24]
    for i in 2 { for k in 5 { for r in 2 { for v in 6 { for l in 4 {
      block t(spatial m in 4 = 2*i + r, spatial n in 24 = 4*v + l, reduce k = k) {
        t[m, n] += a[m, k] * b[k, n] init 0.0
      }
    } } } } }
    for k.2 in 5 { for r.2 in 4 { for l.2 in 24 { for v.2 in 1 {
      block y(spatial m = r.2, spatial n = l.2, spatial q in 1 = v.2, reduce k = k.2) {
        y[m + q, n] += t[m, n] * t[m, n] init 0.0
      }
    } } } }
    for c in 2 { for d in 3 { for e in 4 { for f in 4 {
      block u(spatial m in 4 = 2*c + e % 2, spatial n in 24 = f) if false { y[m, n] = t[m, n] }
    } } } }
  })";

TEST(Tensorize, RefusesTargetsThatAreMoreThanTheTileOrNoLocals) {
  Subject s(kWhole);
  EXPECT_EQ(s.refusal(Tensorize{"k", "2x6", 32}), Reason::NotAContraction);     // t is whole
  EXPECT_EQ(s.refusal(Tensorize{"k.2", "4x24", 99}), Reason::NotAContraction);  // no such product
  EXPECT_EQ(s.refusal(Tensorize{"c", "3x4", 32}), Reason::NotAContraction);     // reduces nothing
}

TEST(Tensorize, RefusesOutputs) {
  Subject s(R"(
    program p(a: f32[2, 5] input, b: f32[5, 12] input, y: f32[2, 12] output) {
      for k in 5 { for r in 2 { for v in 3 { for l in 4 {
        block y(spatial m = r, spatial n in 12 = 4*v + l, reduce k = k) { y[m, n] += a[m, k] * b[k, n] init 0.0 }
      } } } }
    })");
  EXPECT_EQ(s.refusal(Tensorize{"k", "2x3", 16}), Reason::NotAContraction);
}

// In the target the lanes are two apart.
TEST(Tensorize, RefusesLanesThatAreNotNeighbours) {
  Subject s(R"(
    program p(a: f32[2, 5] input, b: f32[5, 12] input, y: f32[2, 12] output) {
      local t: f32[2, 24]
      for k in 5 { for r in 2 { for v in 3 { for l in 4 {
        block t(spatial m = r, spatial n in 12 = 4*v + l, reduce k = k) { t[m, 2*n] += a[m, k] * b[k, n] init 0.0 }
      } } } }
      for i in 2 { for j in 12 { block y(spatial m = i, spatial n = j) { y[m, n] = t[m, 2*n] } } }
    })");
  EXPECT_EQ(s.refusal(Tensorize{"k", "2x3", 16}), Reason::NotAContraction);
}

}  // namespace
}  // namespace cambium::schedule
