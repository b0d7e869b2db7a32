#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/rule_testing.h"

namespace cambium::schedule {
namespace {

const Rule kRule{"place-panels", "", place_panels};

// Products of three heads, the right operand in a copy that is transposed.
std::string heads(std::string_view role, std::string_view outer = "for h in 3 { for i in 8") {
  return "program p(a: f32[3, 8, 6] input, b: f32[3, 10, 6] " + std::string(role) +
         R"(, y: f32[3, 8, 10] output) {
    local b.packed: f32[3, 6, 10]
    for h.1 in 3 { for k.1 in 6 { for j.1 in 10 {
      block b.packed(spatial h = h.1, spatial k = k.1, spatial j = j.1) {
        b.packed[h, k, j] = b[h, j, k]
      }
    } } }
    )" + std::string(outer) +
         R"( { for j in 10 { for k in 6 {
      block y(spatial h = h, spatial i = i, spatial j = j, reduce k = k) {
        y[h, i, j] += a[h, i, k] * b.packed[h, k, j] init 0.0
      }
    } } } }
  })";
}

TEST(PlacePanels, PacksAHeadWhereItIsRead) {
  RuleSubject s(heads("input"));
  EXPECT_EQ(s.apply(kRule, "b.packed"), std::nullopt);
  EXPECT_TRUE(s.has("local b.packed: f32[1, 6, 10]")) << s.text();
  EXPECT_NE(s.trace().find("compute_at(block: b.packed, loop: h)"), std::string::npos);
}

TEST(PlacePanels, CanLeaveTheCopyBeforehand) {
  RuleSubject s(heads("input"));
  s.want("place-panels/b.packed/place", {{0}, "root"});
  EXPECT_EQ(s.apply(kRule, "b.packed"), Reason::NothingToDo);
  EXPECT_TRUE(s.has("local b.packed: f32[3, 6, 10]")) << s.text();
}

TEST(PlacePanels, NeverCopiesTwiceWhatSeveralIterationsRead) {
  RuleSubject s(heads("input"));
  EXPECT_EQ(s.apply(kRule, "b.packed"), std::nullopt);
  EXPECT_EQ(s.trace().find("places: [root, h, i"), std::string::npos) << s.trace();
  RuleSubject rows(heads("input", "for i in 8 { for h in 3"));
  EXPECT_EQ(rows.apply(kRule, "b.packed"), Reason::NothingToDo);
}

TEST(PlacePanels, LeavesConstantsToBePackedAtLoad) {
  EXPECT_EQ(RuleSubject(heads("constant")).apply(kRule, "b.packed"), Reason::NothingToDo);
  EXPECT_EQ(RuleSubject(heads("input")).apply(kRule, "y"), Reason::NothingToDo) << "no copy";
}

}  // namespace
}  // namespace cambium::schedule
