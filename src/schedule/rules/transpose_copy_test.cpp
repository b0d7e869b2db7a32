#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/rule_testing.h"

namespace cambium::schedule {
namespace {

const Rule kTransposeCopy{"transpose-copy", "", transpose_copy};

std::string copy_of(std::string_view target, std::string_view at, std::string_view value) {
  return "program p(x: f32[40, 48] input, y: f32" + std::string(target) +
         " output) { for i in 40 { for j in 48 { block y(spatial i = i, spatial j = j) { y" +
         std::string(at) + " = " + std::string(value) + " } } } }";
}

TEST(TransposeCopy, MakesSquareTilesAndCutsTails) {
  RuleSubject s(copy_of("[48, 40]", "[j, i]", "x[i, j]"));
  EXPECT_EQ(s.apply(kTransposeCopy, "y"), std::nullopt);
  EXPECT_TRUE(s.has("for j.1 in 16 unrolled")) << s.text();
  EXPECT_TRUE(s.has("in 16 vectorized")) << s.text();
  EXPECT_TRUE(s.has("in 8 vectorized")) << "the tail of 40 by 16: " << s.text();
}

TEST(TransposeCopy, TakesDigitsOfAPackedOrderApart) {
  RuleSubject s(copy_of("[48, 2, 20]", "[j, i / 20, i % 20]", "x[i, j]"));
  EXPECT_EQ(s.apply(kTransposeCopy, "y"), std::nullopt);
  EXPECT_TRUE(s.has("for i.0 in 2")) << s.text();
  EXPECT_TRUE(s.has("vectorized")) << s.text();
}

TEST(TransposeCopy, CanLeaveLanesToOtherRules) {
  RuleSubject s(copy_of("[48, 40]", "[j, i]", "x[i, j]"));
  s.want("transpose-copy/y/way", {{1}, "lanes"});
  EXPECT_EQ(s.apply(kTransposeCopy, "y"), Reason::NothingToDo);
}

TEST(TransposeCopy, LeavesAloneWhatIsNoTransposition) {
  EXPECT_EQ(RuleSubject(copy_of("[40, 48]", "[i, j]", "x[i, j]")).apply(kTransposeCopy, "y"),
            Reason::NothingToDo);
  EXPECT_EQ(RuleSubject(copy_of("[48, 40]", "[j, i]", "x[i, j] + 1.0")).apply(kTransposeCopy, "y"),
            Reason::NothingToDo);
}

}  // namespace
}  // namespace cambium::schedule
