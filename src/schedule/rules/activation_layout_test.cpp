#include "schedule/rules/activation_layout.h"

#include "schedule/rules/rule_testing.h"

namespace cambium::schedule {
namespace {

const Rule kLayout{"activation-layout", "", choose_activation_layout};
const std::string kLayoutKey = "activation-layout/t/layout";

constexpr std::string_view kTwoBlocks = R"(
  program p(w: f32[8, 12, 128] constant, x: f32[8, 12, 128] input, y: f32[8, 12, 128] output) {
    local t: f32[8, 12, 128]
    local u: f32[8, 12, 128]
    for i in 8 { for j in 12 { for k in 128 {
      block t(spatial i = i, spatial j = j, spatial k = k) { t[i, j, k] = x[i, j, k] * 2.0 }
    } } }
    for i.2 in 8 { for j.2 in 12 { for k.2 in 128 {
      block u(spatial i = i.2, spatial j = j.2, spatial k = k.2) { u[i, j, k] = w[i, j, k] + 1.0 }
    } } }
    for i.3 in 8 { for j.3 in 12 { for k.3 in 128 {
      block y(spatial i = i.3, spatial j = j.3, spatial k = k.3) {
        y[i, j, k] = t[i, j, k] + u[i, j, k]
      }
    } } }
  })";

TEST(ActivationLayout, KeepsTheOrderUnlessTold) {
  RuleSubject s(kTwoBlocks);
  const std::string before = s.text();
  ASSERT_EQ(s.apply(kLayout, "t"), std::nullopt);
  EXPECT_EQ(s.text(), before);
  EXPECT_NE(s.trace().find("layouts: [\"as it is\", \"d1, d0, d2\"]"), std::string::npos)
      << s.trace();
}

TEST(ActivationLayout, MovesADimensionAndKeepsVectorsWhole) {
  RuleSubject s(kTwoBlocks);
  s.want(kLayoutKey, {{1}, "d1, d0, d2"});
  ASSERT_EQ(s.apply(kLayout, "t"), std::nullopt);
  EXPECT_TRUE(s.has("local t: f32[12, 8, 128]")) << s.text();
}

TEST(ActivationLayout, LeavesAloneWhatHasNoOrderWorthChoosing) {
  RuleSubject s(kTwoBlocks);
  EXPECT_EQ(s.apply(kLayout, "y"), Reason::NothingToDo);  // the caller says how
  EXPECT_EQ(s.apply(kLayout, "u"), Reason::NothingToDo);  // at load
  RuleSubject small(kProduct);
  EXPECT_EQ(small.apply(kLayout, "t"), Reason::NothingToDo);
  RuleSubject kept(kTwoBlocks);
  ASSERT_TRUE(kept.draft().apply(Annotate{Part::Buffer, "t", "space", "register", 0}).ok());
  EXPECT_EQ(kept.apply(kLayout, "t"), Reason::NothingToDo);
}

}  // namespace
}  // namespace cambium::schedule
