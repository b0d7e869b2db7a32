#include "schedule/steps/reorder.h"

#include "schedule/steps/fuse.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kMatmul = R"(
  program matmul(a: f32[4, 5] input, b: f32[5, 6] constant, c: f32[4, 6] output) {
    for i in 4 { for j in 6 { for k in 5 {
      block c(spatial i = i, spatial j = j, reduce k = k) { c[i, j] += a[i, k] * b[k, j] init 0.0 }
    } } }
  })";

TEST(Reorder, PutsTheReductionOutside) {
  Subject s(kMatmul);
  EXPECT_EQ(s.apply(Reorder{{"k", "i"}}), Names{});
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program matmul(a: f32[4, 5] input, b: f32[5, 6] constant, c: f32[4, 6] output) {
      for k in 5 { for j in 6 { for i in 4 {
        block c(spatial i = i, spatial j = j, reduce k = k) { c[i, j] += a[i, k] * b[k, j] init 0.0 }
      } } }
    })"));
}

TEST(Reorder, KeepsLocalsThatLiveInsideTheLoops) {
  Subject s(R"(
    program p(x: f32[4, 6] input, y: f32[4, 6] output) {
      local t: f32[1]
      for i in 4 { for j in 6 {
        block t(spatial u in 1 = 0, spatial i = i, spatial j = j) { t[u] = x[i, j] }
        block y(spatial i = i, spatial j = j) { y[i, j] = t[0] }
      } }
    })");
  s.apply(Reorder{{"j", "i"}});
  EXPECT_LT(s.text().find("for j in"), s.text().find("for i in"));
}

TEST(Reorder, KeepsWhatIsSharedButApart) {
  Subject s(R"(
    program p(a: f32[4, 6, 5] input, y: f32[4, 6] output) {
      for i in 4 { for j in 6 {
        block init(spatial i = i, spatial j = j) { y[i, j] = 0.0 }
        for k in 5 { block y(spatial i = i, spatial j = j, reduce k = k) { y[i, j] += a[i, j, k] } }
      } }
    })");
  s.apply(Reorder{{"j", "i"}});
  EXPECT_LT(s.text().find("for j in"), s.text().find("for i in"));
}

TEST(Reorder, RefusesToReadWhatIsNotWrittenYet) {
  Subject s(R"(
    program p(x: f32[4, 6] input, y: f32[4, 6] output, z: f32[4, 6] output) {
      for i in 4 { for j in 6 {
        block y(spatial i = i, spatial j = j) { y[i, j] = x[i, j] }
        block z(spatial i = i, spatial j = j) {
          z[i, j] = select([i > 0 && j < 5], y[i - 1, j + 1], 0.0)
        }
      } }
    })");
  EXPECT_EQ(s.refusal(Reorder{{"j", "i"}}), Reason::ChangesOrder);
}

TEST(Reorder, RefusesWhatWouldStoreTheInitialValueLate) {
  Subject s(R"(
    program p(a: f32[4, 2] input, y: f32[2] output) {
      for k in 2 { for l in 2 { for i in 2 {
        block y(spatial i = i, reduce k in 4 = 2*k + l) { y[i] += a[k, i] init 0.0 }
      } } }
    })");
  s.apply(Reorder{{"l", "k"}});  // both at 0 still come first
  Subject mixed(R"(
    program p(a: f32[4, 2] input, y: f32[2] output) {
      for k in 2 { for f in 4 {
        block y(spatial i in 2 = f/2, reduce k in 4 = 2*k + f % 2) { y[i] += a[k, i] init 0.0 }
      } }
    })");
  EXPECT_EQ(mixed.refusal(Reorder{{"f", "k"}}), Reason::ChangesOrder);
  Subject backwards(R"(
    program p(a: f32[4, 2] input, y: f32[2] output) {
      for k in 2 { for l in 2 { for i in 2 {
        block y(spatial i = i, reduce k in 4 = 2*k + l) if k + l < 9 { y[i] += a[k, i] init 0.0 }
      } } }
    })");
  backwards.apply(Reorder{{"l", "k"}});
}

TEST(Reorder, RefusesAndSaysWhy) {
  Subject s(kMatmul);
  EXPECT_EQ(s.refusal(Reorder{{"k", "z"}}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Reorder{{"k", "k"}}), Reason::NotNested);
  Subject two(R"(
    program p(x: f32[4] input, y: f32[4] output, z: f32[4] output) {
      for i in 4 { block y(spatial i = i) { y[i] = x[i] } }
      for j in 4 { block z(spatial i = j) { z[i] = x[i] } }
    })");
  EXPECT_EQ(two.refusal(Reorder{{"j", "i"}}), Reason::NotNested);
  Subject vectorized(R"(
    program copy(x: f32[4, 6] input, y: f32[4, 6] output) {
      for i in 4 { for j in 6 vectorized {
        block b(spatial i = i, spatial j = j) { y[i, j] = x[i, j] }
      } }
    })");
  EXPECT_EQ(vectorized.refusal(Reorder{{"j", "i"}}), Reason::VectorizedNotInnermost);
}

}  // namespace
}  // namespace cambium::schedule
