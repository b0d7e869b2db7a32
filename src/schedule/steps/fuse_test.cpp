#include "schedule/steps/fuse.h"

#include "schedule/steps/split.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kCopyOfRows = R"(
  program copy(x: f32[4, 6] input, y: f32[4, 6] output) {
    for i in 4 { for j in 6 { block b(spatial i = i, spatial j = j) { y[i, j] = x[i, j] } } }
  })";

TEST(Fuse, MakesOneLoopOfTwo) {
  Subject s(kCopyOfRows);
  EXPECT_EQ(s.apply(Fuse{{"i", "j"}}), Names{"i.j"});
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[4, 6] input, y: f32[4, 6] output) {
      for i.j in 24 {
        block b(spatial i in 4 = i.j/6, spatial j in 6 = i.j % 6) { y[i, j] = x[i, j] }
      }
    })"));
}

TEST(Fuse, UndoesASplit) {
  Subject s(kCopyOfRows);
  const Names made = s.apply(Split{"j", {0, 4}, Tail::Guard});
  EXPECT_EQ(s.apply(Fuse{made}), Names{"j.0.j.1"});
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[4, 6] input, y: f32[4, 6] output) {
      for i in 4 { for j.0.j.1 in 8 {
        block b(spatial i = i, spatial j in 6 = j.0.j.1) if j.0.j.1 < 6 { y[i, j] = x[i, j] }
      } }
    })"));
}

// The rows of a window wrap around in t; its channels are fused with them.
TEST(Fuse, KeepsTheRowsOfAWrappedWindowApart) {
  Subject s(R"(
    program p(x: f32[3, 12] input, y: f32[3, 9] output) {
      local t: f32[3, 7, 12]
      for h in 3 { for v in 3 {
        for j in 3 { for k in 7 { for l in 7 {
          block t(spatial j = j, spatial k in 12 = 2*h + k, spatial l in 12 = 2*v + l) {
            t[j, k % 7, l] = x[j, k] * x[j, l]
          }
        } } }
        for j.2 in 3 { for a in 7 {
          block y(spatial h = h, spatial v = v, spatial j = j.2, reduce a = a) {
            y[j, 3*h + v] += t[j, (2*h + a) % 7, 2*v + a] init 0.0
          }
        } }
      } }
    })");
  EXPECT_EQ(s.apply(Fuse{{"j", "k"}}), Names{"j.k"});
}

// All of t is written in the iteration that reads it, in a layout with holes and by digits.
TEST(Fuse, KeepsWhatIsReadInTheSameIterationWritten) {
  Subject s(R"(
    program p(x: f32[79, 4, 4] input, y: f32[2, 79, 4, 4] output) {
      local t: f32[16, 316, 79]
      for i in 2 {
        for j in 79 { for k in 4 { for l in 4 {
          block t(spatial j = j, spatial k = k, spatial l = l) { t[4*k + l, 4*j + k, j] = x[j, k, l] }
        } } }
        for j.2 in 79 { for k.2 in 4 { for l.2 in 4 {
          block y(spatial i = i, spatial j = j.2, spatial k = k.2, spatial l = l.2) {
            y[i, j, k, l] = max(0.0, t[4*k + l, 4*j + k, j])
          }
        } } }
      }
    })");
  EXPECT_EQ(s.apply(Fuse{{"j", "k", "l"}}), Names{"j.k.l"});
}

TEST(Fuse, RefusesAndSaysWhy) {
  Subject s(kCopyOfRows);
  EXPECT_EQ(s.refusal(Fuse{{"i", "z"}}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Fuse{{"j", "i"}}), Reason::NotNested);
  EXPECT_EQ(s.refusal(Fuse{{"i", "i"}}), Reason::NotNested);
  EXPECT_EQ(s.refusal(Fuse{{}}), Reason::BadFactors);
  Subject unrolled(R"(
    program copy(x: f32[4, 6] input, y: f32[4, 6] output) {
      for i in 4 { for j in 6 unrolled {
        block b(spatial i = i, spatial j = j) { y[i, j] = x[i, j] }
      } }
    })");
  EXPECT_EQ(unrolled.refusal(Fuse{{"i", "j"}}), Reason::LoopNotPlain);
  Subject large(R"(
    program fill(y: f32[2] output) {
      for i in 1048577 { for j in 1048577 { block b(spatial i in 2 = 0) if i < 1 { y[i] = 0.0 } } }
    })");
  EXPECT_EQ(large.refusal(Fuse{{"i", "j"}}), Reason::TooLarge);
}

}  // namespace
}  // namespace cambium::schedule
