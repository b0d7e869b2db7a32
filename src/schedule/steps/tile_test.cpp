#include "schedule/steps/tile.h"

#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kCopyToTile = R"(
  program copy(x: f32[8, 10] input, y: f32[8, 10] output) {
    for i in 8 { for j in 10 { block b(spatial i = i, spatial j = j) { y[i, j] = x[i, j] } } }
  })";

TEST(Tile, PutsAllOuterLoopsBeforeAllInnerOnes) {
  Subject s(kCopyToTile);
  EXPECT_EQ(s.apply(Tile{{"i", "j"}, {4, 4}, Tail::Guard}), (Names{"i.0", "j.0", "i.1", "j.1"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[8, 10] input, y: f32[8, 10] output) {
      for i.0 in 2 { for j.0 in 3 { for i.1 in 4 { for j.1 in 4 {
        block b(spatial i in 8 = 4*i.0 + i.1, spatial j in 10 = 4*j.0 + j.1) if 4*j.0 + j.1 < 10 {
          y[i, j] = x[i, j]
        }
      } } } }
    })"));
}

TEST(Tile, RefusesAndSaysWhy) {
  Subject s(kCopyToTile);
  EXPECT_EQ(s.refusal(Tile{{"i", "z"}, {4, 4}}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Tile{{"i", "j"}, {4}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(Tile{{}, {}}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(Tile{{"i", "j"}, {4, 4}, Tail::Peel}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(Tile{{"i", "j"}, {4, 4}, Tail::Exact}), Reason::NotDivisible);
  Subject two(R"(
    program p(x: f32[4] input, y: f32[4] output, z: f32[4] output) {
      for i in 4 { block y(spatial i = i) { y[i] = x[i] } }
      for j in 4 { block z(spatial i = j) { z[i] = x[i] } }
    })");
  EXPECT_EQ(two.refusal(Tile{{"i", "j"}, {2, 2}}), Reason::NotNested);
}

}  // namespace
}  // namespace cambium::schedule
