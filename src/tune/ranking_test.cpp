#include "tune/ranking.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace cambium::tune {
namespace {

Example example(std::uint64_t program, double seconds, double draft) {
  Example e;
  e.program = {program, 0};
  e.seconds = seconds;
  e.draft_seconds = draft;
  return e;
}

TEST(Quality, ComparesOnlyWithinPrograms) {
  const std::vector<Example> examples{example(1, 1, 3), example(1, 2, 2),  example(1, 3, 1),
                                      example(2, 9, 1), example(2, 10, 2), example(2, 11, 3)};
  const std::vector<double> scores{1, 2, 3, -3, -2, -1};
  const ModelQuality quality = quality_of(examples, scores);
  EXPECT_DOUBLE_EQ(quality.rank_correlation, 1);
  EXPECT_DOUBLE_EQ(quality.draft_correlation, 0) << "one program right, one wrong";
  EXPECT_DOUBLE_EQ(quality.best_of_top_8, 1);
  EXPECT_EQ(quality.held_out, 6);
}

TEST(Quality, LeavesOutWhatWasRefusedAndProgramsTooSmallToRank) {
  const double never = std::numeric_limits<double>::infinity();
  const std::vector<Example> examples{example(1, 1, 1),     example(1, 2, 2), example(1, 3, 3),
                                      example(1, never, 1), example(2, 1, 9), example(2, 2, 1)};
  const std::vector<double> scores{1, 2, 3, 0, 9, 1};
  const ModelQuality quality = quality_of(examples, scores);
  EXPECT_DOUBLE_EQ(quality.rank_correlation, 1);
  EXPECT_EQ(quality.held_out, 3);
}

TEST(DraftOnly, ScoresByTheAnalyticModel) {
  auto model = draft_only_model();
  const std::vector<Features> features(2);
  const std::vector<double> drafts{1, std::exp(1.0)};
  EXPECT_EQ(model->score(features, drafts), (std::vector<double>{0, 1}));
  const std::vector<Example> examples{example(1, 1, 1), example(1, 2, 2), example(1, 3, 3)};
  EXPECT_DOUBLE_EQ(model->train(examples, 1)->rank_correlation, 1);
}

}  // namespace
}  // namespace cambium::tune
