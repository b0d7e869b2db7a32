#include "cli/legality_view.h"

#include <gtest/gtest.h>

namespace cambium::cli {
namespace {

TEST(LegalityView, ShowsTheShareThatIsRefusedByKindOfStep) {
  engine::LegalityByKind found;
  found.all = {"", "", 12, 10, 5, 1, 40, 10};
  found.kinds = {{"loopnest", "group", 8, 6, 3, 1, 30, 3},
                 {"loopnest", "bottleneck", 4, 4, 3, 0, 0, 0}};
  EXPECT_EQ(legality_text(found, 0),
            "kind of step  candidates  judged   illegal  undecided  layers below the original\n"
            "(all)                 12      10  5 (50 %)          1            10 of 40 (25 %)\n"
            "group                  8       6  3 (50 %)          1             3 of 30 (10 %)\n"
            "bottleneck             4       4  3 (75 %)\n");
}

TEST(LegalityView, NamesTheSpaceWhereThereAreSeveral) {
  engine::LegalityByKind found;
  found.all = {"", "", 2, 2, 1, 0, 0, 0};
  found.kinds = {{"loopnest", "group", 1, 1, 1, 0, 0, 0},
                 {"coordinate", "UNFOLD", 1, 1, 0, 0, 0, 0}};
  EXPECT_EQ(legality_text(found, 0),
            "kind of step  space       candidates  judged    illegal\n"
            "(all)                              2       2   1 (50 %)\n"
            "group         loopnest             1       1  1 (100 %)\n"
            "UNFOLD        coordinate           1       1    0 (0 %)\n");
}

TEST(LegalityView, IsEmptyWhereNothingWasJudged) {
  engine::LegalityByKind found;
  found.all.candidates = 7;
  EXPECT_EQ(legality_text(found, 0), "");
}

}  // namespace
}  // namespace cambium::cli
