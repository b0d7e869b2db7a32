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

// Ten channels, each with three weights of its own.
constexpr std::string_view kChannels = R"(
  program p(x: f32[3, 10] input, w: f32[10, 3] constant, y: f32[10] output) {
    for c in 10 { for k in 3 {
      block y(spatial c = c, reduce k = k) { y[c] += x[k, c] * w[c, k] init 0.0 }
    } }
  })";

Rule packing(std::int64_t panel_width) {
  return {"pack", "", [panel_width](Draft& draft, const std::string& block) -> Status {
            pack_constants(draft, block, 0, panel_width);
            return Ok{};
          }};
}

TEST(TileParts, PacksConstantsWithAllLanesSideBySide) {
  RuleSubject s(kChannels);
  ASSERT_EQ(s.apply(packing(0), "y"), std::nullopt);
  EXPECT_NE(s.trace().find("dims: [d1, d0])"), std::string::npos) << s.trace();
}

TEST(TileParts, PacksConstantsInPanelsWhereTheWidthIsLessThanAllLanes) {
  RuleSubject s(kChannels);
  ASSERT_EQ(s.apply(packing(4), "y"), std::nullopt);
  EXPECT_NE(s.trace().find("dims: [\"d0 / 4\", d1, \"d0 % 4\"])"), std::string::npos) << s.trace();
  RuleSubject one(kChannels);
  ASSERT_EQ(one.apply(packing(10), "y"), std::nullopt);
  EXPECT_NE(one.trace().find("dims: [d1, d0])"), std::string::npos) << one.trace();
}

}  // namespace
}  // namespace cambium::schedule
