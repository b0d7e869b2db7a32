#include "schedule/rules/write_cache.h"

#include "schedule/rules/multi_level_tiling.h"
#include "schedule/rules/rule_testing.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {
namespace {

// A product that writes its output itself.
constexpr std::string_view kAlone = R"(
  program p(a: f32[12, 10] input, b: f32[10, 32] input, t: f32[12, 32] output) {
    for i in 12 { for j in 32 { for k in 10 {
      block t(spatial i = i, spatial j = j, reduce k = k) { t[i, j] += a[i, k] * b[k, j] init 0.0 }
    } } }
  })";

void tile(RuleSubject& s, const std::string& way) {
  s.want("multi-level-tiling/t/i", {{3, 2, 1, 2}, ""});
  s.want("multi-level-tiling/t/j", {{2, 1, 4, 4}, ""});
  s.want("multi-level-tiling/t/k", {{5, 2}, ""});
  s.want("write-cache/t/level", {{way == "none" ? 0 : way == "level 1" ? 1 : 2}, way});
  ASSERT_EQ(s.apply(multi_level_tiling_rule(), "t"), std::nullopt);
}

TEST(WriteCache, CollectsATileInALocal) {
  RuleSubject s(kAlone);
  tile(s, "level 1");
  ASSERT_EQ(s.apply(write_cache_rule(), "t"), std::nullopt);
  ASSERT_EQ(s.program().locals.size(), 1U) << s.text();
  EXPECT_EQ(s.program().locals[0]->elements(), 4 * 16) << "what is within the first tiles";
}

TEST(WriteCache, CollectsASmallerOneAtTheSecondLevel) {
  RuleSubject s(kAlone);
  tile(s, "level 2");
  ASSERT_EQ(s.apply(write_cache_rule(), "t"), std::nullopt);
  ASSERT_EQ(s.program().locals.size(), 1U) << s.text();
  EXPECT_EQ(s.program().locals[0]->elements(), 2 * 16);
}

TEST(WriteCache, LetsAnElementwiseReaderTakeTheTile) {
  RuleSubject s(kProduct);
  tile(s, "level 1");
  ASSERT_EQ(s.apply(write_cache_rule(), "t"), std::nullopt);
  EXPECT_EQ(s.program().locals.size(), 1U) << "no copy is made\n" << s.text();
  EXPECT_EQ(site_of(s.program(), "y").loops.front(), site_of(s.program(), "t").loops.front());
}

TEST(WriteCache, MayStayAwayAndSaysSo) {
  RuleSubject s(kAlone);
  tile(s, "none");
  ASSERT_EQ(s.apply(write_cache_rule(), "t"), std::nullopt);
  EXPECT_TRUE(s.program().locals.empty());
  EXPECT_NE(s.trace().find("write-cache/t/level"), std::string::npos) << s.trace();
}

TEST(WriteCache, OffersNoPlaceWithinTheReduction) {
  RuleSubject s(kAlone);
  ASSERT_EQ(s.apply(multi_level_tiling_rule({.structure = "SRS"}), "t"), std::nullopt);
  ASSERT_EQ(s.apply(write_cache_rule({.structure = "SRS", .levels = {1, 2}}), "t"), std::nullopt);
  EXPECT_NE(s.trace().find("options: [none, \"level 1\"]"), std::string::npos) << s.trace();
}

TEST(WriteCache, LeavesWhatIsNotTiledSoAlone) {
  RuleSubject s(kProduct);
  EXPECT_EQ(s.apply(write_cache_rule(), "t"), Reason::NothingToDo);
  EXPECT_EQ(s.apply(write_cache_rule(), "y"), Reason::NothingToDo);
  ASSERT_EQ(s.apply(multi_level_tiling_rule({.structure = "SRS"}), "t"), std::nullopt);
  EXPECT_EQ(s.apply(write_cache_rule(), "t"), Reason::NothingToDo);
}

}  // namespace
}  // namespace cambium::schedule
