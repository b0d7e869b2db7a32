#include "schedule/steps/cache_padded.h"

#include "schedule/steps/inline.h"
#include "schedule/steps/lift_select.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

// Two slabs of four rows, each with weights of its own, between zeros of their own.
constexpr std::string_view kSlabs = R"(
  program p(x: f32[8] input, w: f32[2, 3] constant, y: f32[8] output) {
    local pad: f32[10]
    for i in 10 { block pad(spatial i = i) {
      pad[i] = select([1 <= i && i < 9], x[i - 1], 0.0)
    } }
    for s in 2 { for h in 4 { for k in 3 {
      block y(spatial s = s, spatial h = h, reduce k = k) {
        y[4*s + h] += select([0 < h + k && h + k < 5], pad[4*s + h + k], 0.0) * w[s, k] init 0.0
      }
    } } }
  })";

TEST(CachePadded, MakesAnImageOfEachSlab) {
  Subject s(kSlabs);
  EXPECT_EQ(s.apply(CachePadded{"y"}), (Names{"pad.padded", "pad.padded", "d0.0", "d0"}));
  const std::string text = s.text();
  EXPECT_NE(text.find("local pad.padded: f32[2, 6]"), std::string::npos) << text;
  EXPECT_NE(text.find("y[4*s + h] += pad.padded[s, h + k] * w[s, k] init 0.0"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("local pad:"), std::string::npos) << "it is copied from x itself\n" << text;
}

TEST(CachePadded, TakesAConditionAroundTheProduct) {
  Subject s(kSlabs);
  s.apply(LiftSelect{"y"});
  s.apply(CachePadded{"y"});
  EXPECT_NE(s.text().find("pad.padded[s, h + k] * w[s, k]"), std::string::npos) << s.text();
}

TEST(CachePadded, UndoesInliningOfPadding) {
  Subject s(R"(
    program p(x: f32[5, 4] input, w: f32[3, 3] constant, y: f32[5, 4] output) {
      local pad: f32[7, 6]
      for i in 7 { for j in 6 { block pad(spatial i = i, spatial j = j) {
        pad[i, j] = select([1 <= i && i < 6 && 1 <= j && j < 5], x[i - 1, j - 1], 0.0)
      } } }
      for h in 5 { for v in 4 { for k in 3 { for l in 3 {
        block y(spatial h = h, spatial v = v, reduce k = k, reduce l = l) {
          y[h, v] += pad[h + k, v + l] * w[k, l] init 0.0
        }
      } } } }
    })");
  s.apply(Inline{"pad"});
  s.apply(CachePadded{"y"});
  EXPECT_NE(s.text().find("local x.padded: f32[7, 6]"), std::string::npos) << s.text();
  EXPECT_NE(s.text().find("y[h, v] += x.padded[h + k, l + v] * w[k, l]"), std::string::npos)
      << s.text();
}

TEST(CachePadded, RefusesAndSaysWhy) {
  Subject s(kSlabs);
  EXPECT_EQ(s.refusal(CachePadded{"z"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(CachePadded{"pad"}), Reason::NotAContraction);
  s.apply(CachePadded{"y"});
  EXPECT_EQ(s.refusal(CachePadded{"y"}), Reason::NotAContraction) << "no condition is left";
  Subject strided(R"(
    program p(x: f32[16] input, w: f32[3] constant, y: f32[4] output) {
      for h in 4 { for k in 3 { block y(spatial h = h, reduce k = k) {
        y[h] += select([h + k < 5], x[2*h + k], 0.0) * w[k] init 0.0
      } } }
    })");
  EXPECT_EQ(strided.refusal(CachePadded{"y"}), Reason::NotABox)
      << "the condition counts otherwise than the index";
}

}  // namespace
}  // namespace cambium::schedule
