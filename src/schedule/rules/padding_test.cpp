#include "schedule/rules/padding.h"

#include "schedule/rules/rule_testing.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {
namespace {

const Rule kPadding{"padding", "", place_padding};

constexpr std::string_view kPooled = R"(
  program p(x: f32[10, 16] input, y: f32[10, 16] output) {
    local t: f32[12, 16]
    for i in 12 { for j in 16 {
      block t(spatial i = i, spatial j = j) {
        t[i, j] = select([0 <= i - 1 && i - 1 < 10], x[i - 1, j], 0.0)
      }
    } }
    for o in 10 { for c in 16 { for k in 3 {
      block y(spatial o = o, spatial c = c, reduce k = k) { y[o, c] += t[o + k, c] init 0.0 }
    } } }
  })";

TEST(PaddingRule, LeavesPaddingAsItIsUnlessTold) {
  RuleSubject s(kPooled);
  const std::string before = s.text();
  ASSERT_EQ(s.apply(kPadding, "t"), std::nullopt);
  EXPECT_EQ(s.text(), before);
  EXPECT_NE(s.trace().find("places: [root, o, c]"), std::string::npos) << s.trace();
}

TEST(PaddingRule, FillsAndCopiesWithoutConditions) {
  RuleSubject s(kPooled);
  s.want("padding/t/how", {{1}, "fill and copy"});
  ASSERT_EQ(s.apply(kPadding, "t"), std::nullopt);
  EXPECT_TRUE(s.has("block t.fill")) << s.text();
  EXPECT_FALSE(s.has("select")) << s.text();
}

TEST(PaddingRule, CopiesWhereItIsRead) {
  RuleSubject s(kPooled);
  s.want("padding/t/place", {{1}, "o"});
  ASSERT_EQ(s.apply(kPadding, "t"), std::nullopt);
  EXPECT_EQ(site_of(s.program(), "t").loops.front()->name(), "o") << s.text();
}

// Windows of a transform overlap: each would have its own copy of what it shares with the next.
TEST(PaddingRule, OffersNoPlaceInsideTheLoopsOfATransform) {
  std::string text(kPooled);
  const std::string sum = "y[o, c] += t[o + k, c] init 0.0";
  text.replace(text.find(sum), sum.size(), "y[o, c] += t[o + k, c] - t[o, c] init 0.0");
  RuleSubject s(text);
  ASSERT_EQ(s.apply(kPadding, "t"), std::nullopt);
  EXPECT_EQ(s.trace().find("places"), std::string::npos) << s.trace();
}

TEST(PaddingRule, LeavesAloneWhatIsNoPaddingOrHasLanes) {
  RuleSubject s(kPooled);
  EXPECT_EQ(s.apply(kPadding, "y"), Reason::NothingToDo);
  ASSERT_TRUE(s.draft().apply(Vectorize{"j"}).ok());
  EXPECT_EQ(s.apply(kPadding, "t"), Reason::NothingToDo);
}

}  // namespace
}  // namespace cambium::schedule
