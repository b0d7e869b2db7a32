#include "schedule/steps/cache.h"

#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kMatmulOfConstant = R"(
  program p(a: f32[4, 6] input, w: f32[6, 8] constant, y: f32[4, 8] output) {
    for i in 4 { for j in 8 { for k in 6 {
      block y(spatial i = i, spatial j = j, reduce k = k) { y[i, j] += a[i, k] * w[k, j] init 0.0 }
    } } }
  })";

TEST(CacheRead, CopiesAConstantBeforeItsReader) {
  Subject s(kMatmulOfConstant);
  EXPECT_EQ(s.apply(CacheRead{"y", "w"}), (Names{"w.cache", "w.cache", "d0", "d1"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(a: f32[4, 6] input, w: f32[6, 8] constant, y: f32[4, 8] output) {
      local w.cache: f32[6, 8]
      for d0 in 6 { for d1 in 8 {
        block w.cache(spatial d0 = d0, spatial d1 = d1) { w.cache[d0, d1] = w[d0, d1] }
      } }
      for i in 4 { for j in 8 { for k in 6 {
        block y(spatial i = i, spatial j = j, reduce k = k) { y[i, j] += a[i, k] * w.cache[k, j] init 0.0 }
      } } }
    })"));
  EXPECT_EQ(s.apply(CacheRead{"y", "a"}), (Names{"a.cache", "a.cache", "d0.2", "d1.2"}));
}

TEST(CacheRead, LeavesOtherReadersAloneAndCopiesInsideTheLoopOfALocal) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output, z: f32[8] output) {
      local t: f32[4]
      for o in 2 {
        for i in 4 { block t(spatial i in 8 = 4*o + i) { t[i % 4] = x[i] } }
        for j in 4 { block y(spatial i in 8 = 4*o + j) { y[i] = t[i % 4] } }
        for l in 4 { block z(spatial i in 8 = 4*o + l) { z[i] = t[3 - i % 4] } }
      }
    })");
  s.apply(CacheRead{"z", "t"});
  EXPECT_NE(s.text().find("y[i] = t[i % 4]"), std::string::npos) << s.text();
  EXPECT_NE(s.text().find("= t.cache[3 - i % 4]"), std::string::npos) << s.text();
}

TEST(CacheRead, RefusesUnknownNamesOthersBuffersAndWhatIsWrittenInTheSameNest) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output, z: f32[8] output) {
      for i in 8 {
        block y(spatial i = i) { y[i] = x[i] }
        block z(spatial i = i) { z[i] = y[i] }
      }
    })");
  EXPECT_EQ(s.refusal(CacheRead{"nobody", "x"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(CacheRead{"y", "nothing"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(CacheRead{"z", "x"}), Reason::NotConsumer);
  EXPECT_EQ(s.refusal(CacheRead{"z", "y"}), Reason::ReadBeforeWrite);
}

TEST(CacheRead, RefusesToCopyWhatIsNeverWritten) {
  Subject s(R"(
    program p(x: f32[4] input, y: f32[4] output) {
      local t: f32[8]
      for i in 4 { block t(spatial i = i) { t[2*i] = x[i] } }
      for j in 4 { block y(spatial i = j) { y[i] = t[2*i] } }
    })");
  EXPECT_EQ(s.refusal(CacheRead{"y", "t"}), Reason::NotProved);
}

TEST(CacheWrite, LetsAReductionFillALocalThatIsCopiedAfterIt) {
  Subject s(kMatmulOfConstant);
  EXPECT_EQ(s.apply(CacheWrite{"y"}), (Names{"y.cache", "y.cache", "d0", "d1"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(a: f32[4, 6] input, w: f32[6, 8] constant, y: f32[4, 8] output) {
      local y.cache: f32[4, 8]
      for i in 4 { for j in 8 { for k in 6 {
        block y(spatial i = i, spatial j = j, reduce k = k) { y.cache[i, j] += a[i, k] * w[k, j] init 0.0 }
      } } }
      for d0 in 4 { for d1 in 8 {
        block y.cache(spatial d0 = d0, spatial d1 = d1) { y[d0, d1] = y.cache[d0, d1] }
      } }
    })"));
}

TEST(CacheWrite, TakesAllWritersAndTheReadersBetweenThem) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output, z: f32[4] output) {
      for i in 4 { block y1(spatial i = i) { y[i] = x[i] } }
      for j in 4 { block y2(spatial i = j) { y[i + 4] = y[i] * 2.0 } }
      for l in 4 { block z(spatial i = l) { z[i] = y[2*i] } }
    })");
  s.apply(CacheWrite{"y1"});
  EXPECT_NE(s.text().find("y.cache[i + 4] = y.cache[i] * 2.0"), std::string::npos) << s.text();
  EXPECT_NE(s.text().find("z[i] = y[2*i]"), std::string::npos) << s.text();
  EXPECT_EQ(s.refusal(CacheWrite{"nobody"}), Reason::UnknownName);
}

}  // namespace
}  // namespace cambium::schedule
