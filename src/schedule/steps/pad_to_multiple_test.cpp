#include "schedule/steps/pad_to_multiple.h"

#include "schedule/steps/cache.h"
#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/set_layout.h"
#include "schedule/steps/split.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kMatmulAndCopy = R"(
  program p(a: f32[5, 6] input, w: f32[6, 10] constant, y: f32[5, 10] output) {
    local t: f32[5, 10]
    for i in 5 { for j in 10 { for k in 6 {
      block t(spatial i = i, spatial j = j, reduce k = k) { t[i, j] += a[i, k] * w[k, j] init 0.0 }
    } } }
    for i.2 in 5 { for j.2 in 10 { block y(spatial i = i.2, spatial j = j.2) { y[i, j] = t[i, j] } } }
  })";

TEST(PadToMultiple, GrowsTheLocalAndReadsZeroBeyondTheEdge) {
  Subject s(kMatmulAndCopy);
  EXPECT_EQ(s.apply(PadToMultiple{"t", "j", 8}), Names());
  EXPECT_EQ(s.text(), Subject::tidy(R"(
  program p(a: f32[5, 6] input, w: f32[6, 10] constant, y: f32[5, 10] output) {
    local t: f32[5, 16]
    for i in 5 { for j in 16 { for k in 6 {
      block t(spatial i = i, spatial j = j, reduce k = k) {
        t[i, j] += a[i, k] * select([j < 10], w[k, j], 0.0) init 0.0
      }
    } } }
    for i.2 in 5 { for j.2 in 10 { block y(spatial i = i.2, spatial j = j.2) { y[i, j] = t[i, j] } } }
  })"));
  s.apply(PadToMultiple{"t", "k", 4});
  EXPECT_NE(s.text().find("for k in 8"), std::string::npos) << s.text();
  const std::string before = s.text();
  s.apply(PadToMultiple{"t", "k", 4});  // it is one already
  EXPECT_EQ(s.text(), before);
}

// Ten columns as panels of eight: the copy fills both panels.
TEST(PadToMultiple, FillsThePanelsOfPackedWeights) {
  Subject s(kMatmulAndCopy);
  const Names made = s.apply(CacheRead{"t", "w"});
  s.apply(PadToMultiple{made[0], "d1", 8});
  s.apply(SetLayout{made[1], {"d1 / 8", "d0", "d1 % 8"}});
  EXPECT_NE(s.text().find("local w.cache: f32[2, 6, 8]"), std::string::npos) << s.text();
}

// The elements behind the first four belong to another block.
TEST(PadToMultiple, RefusesAPartOfADimension) {
  Subject s(R"(
    program p(x: f32[4] input, y: f32[8] output) {
      local t: f32[8]
      for a in 4 { block t1(spatial i = a) { t[i] = x[i] } }
      for b in 4 { block t2(spatial i = b) { t[i + 4] = x[i] } }
      for d in 8 { block y(spatial i = d) { y[i] = t[i] } }
    })");
  EXPECT_EQ(s.refusal(PadToMultiple{"t1", "i", 8}), Reason::NotElementwise);
}

// Each dimension would do, both together would not.
TEST(PadToMultiple, RefusesWhatNoBufferHolds) {
  Context cx;
  const Program before = *program::parse(cx, kMatmulAndCopy);
  constexpr std::int64_t kMany = std::int64_t{1} << 21;
  const auto once = PadToMultiple{"t", "i", kMany}.apply(cx, before);
  ASSERT_TRUE(once.ok()) << once.rejection().message();
  const auto twice = PadToMultiple{"t", "j", kMany}.apply(cx, once->program);
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.rejection().reason(), Reason::BufferTooLarge);
}

TEST(PadToMultiple, RefusesWhatItCannotExtend) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output) {
      local t: f32[9]  local u: f32[8]  local v: f32[8]
      for a in 8 { block t(spatial i = a) { t[i + 1] = x[i] } }
      for b in 8 parallel { block u(spatial i = b) { u[i] = t[i + 1] } }
      for c.0 in 2 { for c.1 in 4 { block v(spatial i in 8 = 4*c.0 + c.1) { v[i] = u[i] } } }
      for d in 8 { block y(spatial i = d) { y[i] = v[i] } }
    })");
  EXPECT_EQ(s.refusal(PadToMultiple{"nobody", "i", 3}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(PadToMultiple{"t", "j", 3}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(PadToMultiple{"t", "i", 0}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(PadToMultiple{"y", "i", 3}), Reason::NotLocal);
  EXPECT_EQ(s.refusal(PadToMultiple{"t", "i", 3}), Reason::NotElementwise);
  EXPECT_EQ(s.refusal(PadToMultiple{"u", "i", 3}), Reason::LoopNotPlain);  // parallel
  EXPECT_EQ(s.refusal(PadToMultiple{"v", "i", 3}), Reason::LoopNotPlain);  // split
}

}  // namespace
}  // namespace cambium::schedule
