#include "schedule/rules/merge_digits.h"

#include "schedule/rules/rule_testing.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {
namespace {

TEST(MergeDigits, MakesOneIteratorOfGroupAndChannel) {
  RuleSubject s(R"(
    program p(x: f32[5, 8] input, w: f32[6, 4] input, y: f32[5, 6] output) {
      for i in 5 { for g in 2 { for o in 3 { for k in 4 {
        block y(spatial i = i, spatial g = g, spatial o = o, reduce k = k) {
          y[i, 3*g + o] += x[i, 4*g + k] * w[3*g + o, k] init 0.0
        }
      } } } }
    })");
  ASSERT_EQ(s.apply(merge_digits_rule(), "y"), std::nullopt);
  EXPECT_EQ(site_of(s.program(), "y").block->body->iterators.size(), 3U) << s.text();
}

TEST(MergeDigits, LeavesPlainIndicesAndElementwiseBlocksAlone) {
  RuleSubject s(kProduct);
  EXPECT_EQ(s.apply(merge_digits_rule(), "t"), Reason::NothingToDo);
  EXPECT_EQ(s.apply(merge_digits_rule(), "y"), Reason::NothingToDo);
}

}  // namespace
}  // namespace cambium::schedule
