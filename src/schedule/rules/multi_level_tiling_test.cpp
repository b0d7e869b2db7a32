#include "schedule/rules/multi_level_tiling.h"

#include "schedule/rules/rule_testing.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {
namespace {

const std::string kKey = "multi-level-tiling/t/";

TEST(MultiLevelTiling, OrdersTilesAsTheStructureSays) {
  RuleSubject s(kProduct);
  s.want(kKey + "i", {{3, 2, 1, 2}, ""});
  s.want(kKey + "j", {{2, 1, 4, 4}, ""});
  s.want(kKey + "k", {{5, 2}, ""});
  ASSERT_EQ(s.apply(multi_level_tiling_rule(), "t"), std::nullopt);
  const Names loops = names_of(site_of(s.program(), "t").loops);
  EXPECT_EQ(loops,
            (Names{"i.0", "j.0", "i.1", "j.1", "k.0", "i.2.2", "j.2.2", "k.1", "i.3", "j.3"}))
      << s.text();
  const auto tiles = tiles_of(site_of(s.program(), "t"), "SSRSRS");
  ASSERT_TRUE(tiles);
  EXPECT_EQ((*tiles)[1], (Names{"i.1", "j.1"}));
  EXPECT_EQ((*tiles)[4], Names{"k.1"});
}

TEST(MultiLevelTiling, TakesOtherStructures) {
  RuleSubject s(kProduct);
  ASSERT_EQ(s.apply(multi_level_tiling_rule({.structure = "SRS"}), "t"), std::nullopt);
  EXPECT_EQ(site_of(s.program(), "t").loops.size(), 5U) << s.text();
  EXPECT_TRUE(tiles_of(site_of(s.program(), "t"), "SRS"));
  EXPECT_FALSE(tiles_of(site_of(s.program(), "t"), "SSRSRS"));
}

TEST(MultiLevelTiling, LeavesATailWhereTilesNeedNotDivide) {
  RuleSubject s(kProduct);
  s.want(kKey + "i", {{1, 1, 3, 5}, ""});
  ASSERT_EQ(s.apply(multi_level_tiling_rule({.perfect = false}), "t"), std::nullopt);
  EXPECT_TRUE(s.has("< 12")) << s.text();
}

TEST(MultiLevelTiling, LeavesLoopsOfOneIterationAsTheyAre) {
  RuleSubject s(R"(
    program p(a: f32[1, 4, 6] input, b: f32[6, 8] input, y: f32[1, 4, 8] output) {
      for n in 1 { for i in 4 { for j in 8 { for k in 6 {
        block y(spatial n = n, spatial i = i, spatial j = j, reduce k = k) {
          y[n, i, j] += a[n, i, k] * b[k, j] init 0.0
        }
      } } } }
    })");
  ASSERT_EQ(s.apply(multi_level_tiling_rule(), "y"), std::nullopt);
  const auto tiles = tiles_of(site_of(s.program(), "y"), "SSRSRS");
  ASSERT_TRUE(tiles) << s.text();
  EXPECT_EQ((*tiles)[0].size(), 3U);
  EXPECT_EQ((*tiles)[1].size(), 2U);
}

TEST(MultiLevelTiling, LeavesBlocksWithoutReuseAlone) {
  RuleSubject s(kProduct);
  EXPECT_EQ(s.apply(multi_level_tiling_rule(), "y"), Reason::NothingToDo) << "elementwise";
  RuleSubject sums(R"(
    program p(x: f32[6, 8] input, y: f32[6] output) {
      for i in 6 { for j in 8 {
        block y(spatial i = i, reduce j = j) { y[i] += x[i, j] * x[i, j] init 0.0 }
      } }
    })");
  EXPECT_EQ(sums.apply(multi_level_tiling_rule(), "y"), Reason::NothingToDo);
  RuleSubject twice(R"(
    program p(x: f32[6, 8] input, y: f32[6, 6] output) {
      for i in 6 { for j in 6 { for k in 8 {
        block y(spatial i = i, spatial j = j, reduce k = k) { y[i, j] += x[i, k] * x[j, k] init 0.0 }
      } } }
    })");
  EXPECT_EQ(twice.apply(multi_level_tiling_rule(), "y"), Reason::NothingToDo)
      << "one buffer at two places";
}

TEST(MultiLevelTiling, TilesNothingTwice) {
  RuleSubject s(kProduct);
  ASSERT_EQ(s.apply(multi_level_tiling_rule(), "t"), std::nullopt);
  EXPECT_EQ(s.apply(multi_level_tiling_rule(), "t"), Reason::NothingToDo);
}

}  // namespace
}  // namespace cambium::schedule
