#include "schedule/rules/tile_parts.h"

#include "schedule/rules/rule_testing.h"

namespace cambium::schedule {
namespace {

// Three tiles of four, of which the last holds two.
constexpr std::string_view kTiles = R"(
  program p(x: f32[10] input, y: f32[10] output) {
    for t in 3 { for u in 4 {
      block y(spatial i in 10 = 4*t + u) if 4*t + u < 10 { y[i] = x[i] }
    } }
  })";

Rule cutting(const std::string& loop) {
  return {"cut", "", [loop](Draft& draft, const std::string&) { return cut_tail(draft, loop); }};
}

TEST(TileParts, CutsTheLastTileWhereItIsSmaller) {
  RuleSubject s(kTiles);
  ASSERT_EQ(s.apply(cutting("t"), "y"), std::nullopt);
  EXPECT_TRUE(s.has("for t in 2 {")) << s.text();
  EXPECT_TRUE(s.has("for u.2 in 2 {")) << "without a condition\n" << s.text();
  EXPECT_FALSE(s.has(" if ")) << s.text();
}

TEST(TileParts, LeavesALoopWhoseLastIterationIsNoTail) {
  RuleSubject s(kTiles);
  ASSERT_EQ(s.apply(cutting("u"), "y"), std::nullopt);
  EXPECT_TRUE(s.has("for u in 4 {")) << "two of its iterations are left out there\n" << s.text();
}

}  // namespace
}  // namespace cambium::schedule
