#include "schedule/rules/random_compute_location.h"

#include "schedule/rules/multi_level_tiling.h"
#include "schedule/rules/rule_testing.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {
namespace {

const std::string kPlaceKey = "random-compute-location/t/place";

// Padding before a sum over windows.
constexpr std::string_view kPadded = R"(
  program p(x: f32[10, 4] input, y: f32[10, 4] output) {
    local t: f32[12, 4]
    for i in 12 { for j in 4 {
      block t(spatial i = i, spatial j = j) {
        t[i, j] = select([0 <= i - 1 && i - 1 < 10], x[i - 1, j], 0.0)
      }
    } }
    for o in 10 { for one in 1 { for k in 3 { for c in 4 {
      block y(spatial o = o, spatial c = c, reduce k = k) { y[o, c] += t[o + k, c] init 0.0 }
    } } } }
  })";

TEST(RandomComputeLocation, OffersLoopsUpToTheReduction) {
  RuleSubject s(kPadded);
  ASSERT_EQ(s.apply(random_compute_location_rule(), "t"), std::nullopt);
  EXPECT_NE(s.trace().find("places: [root, o, k, inline]"), std::string::npos) << s.trace();
}

TEST(RandomComputeLocation, ComputesWhereItIsTold) {
  RuleSubject s(kPadded);
  s.want(kPlaceKey, {{1}, "o"});
  ASSERT_EQ(s.apply(random_compute_location_rule(), "t"), std::nullopt);
  EXPECT_EQ(site_of(s.program(), "t").loops.front()->name(), "o") << s.text();
  RuleSubject inlined(kPadded);
  inlined.want(kPlaceKey, {{3}, "inline"});
  ASSERT_EQ(inlined.apply(random_compute_location_rule(), "t"), std::nullopt);
  EXPECT_TRUE(inlined.program().locals.empty()) << inlined.text();
}

TEST(RandomComputeLocation, LeavesResultsAndTiledBlocksAlone) {
  RuleSubject s(kProduct);
  EXPECT_EQ(s.apply(random_compute_location_rule(), "y"), Reason::NothingToDo);
  ASSERT_EQ(s.apply(multi_level_tiling_rule(), "t"), std::nullopt);
  EXPECT_EQ(s.apply(random_compute_location_rule(), "t"), Reason::NothingToDo);
}

TEST(RandomComputeLocation, LeavesWhatIsComputedAtLoad) {
  RuleSubject s(R"(
    program p(w: f32[8] constant, x: f32[8] input, y: f32[8] output) {
      local t: f32[8]
      for i in 8 { block t(spatial i = i) { t[i] = w[i] * 2.0 } }
      for j in 8 { block y(spatial j = j) { y[j] = t[j] + x[j] } }
    })");
  EXPECT_EQ(s.apply(random_compute_location_rule(), "t"), Reason::NothingToDo);
}

}  // namespace
}  // namespace cambium::schedule
