#include "tune/cost_model/xgboost_model.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"
#include "base/scratch_folder_testing.h"
#include "tune/cost_model/pack_sum.h"
#include "tune/ranking.h"

namespace cambium::tune {
namespace {

constexpr std::size_t kPlanted = 3;

// Programs whose examples take what the analytic model says, times what one column does to them.
std::vector<Example> examples(std::size_t programs, std::size_t each, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Example> made;
  for (std::size_t p = 0; p < programs; ++p) {
    for (std::size_t i = 0; i < each; ++i) {
      Example e;
      e.program = {p + 1, 0};
      e.features.rows = 2;
      e.draft_seconds = rng.uniform(1e-5, 1.3e-5);
      const float share = 0.9F;
      double effect = 0;
      for (std::size_t r = 0; r < 2; ++r) {
        std::vector<float> row;
        for (std::size_t c = 0; c < feature_names().size(); ++c) {
          row.push_back(static_cast<float>(rng.uniform()));
        }
        row[share_column()] = r == 0 ? share : 1 - share;
        effect += static_cast<double>(row[share_column()]) * (row[kPlanted] > 0.5F ? 1.0 : 0.0);
        e.features.values.insert(e.features.values.end(), row.begin(), row.end());
      }
      e.seconds = e.draft_seconds * std::exp(effect) * static_cast<double>(p + 1);
      made.push_back(std::move(e));
    }
  }
  return made;
}

std::vector<double> scores(const CostModel& model, std::span<const Example> of) {
  std::vector<Features> features;
  std::vector<double> drafts;
  for (const Example& e : of) {
    features.push_back(e.features);
    drafts.push_back(e.draft_seconds);
  }
  return model.score(features, drafts);
}

TEST(XgboostModel, LearnsAnEffectThatTheAnalyticModelLacks) {
  auto model = new_xgboost_model().value();
  const auto data = examples(3, 150, 1);
  const auto quality = model->train(data, 1);
  ASSERT_TRUE(quality.ok()) << quality.rejection().message();
  EXPECT_GT(quality->held_out, 50);
  EXPECT_LT(quality->draft_correlation, 0.6);
  EXPECT_GT(quality->rank_correlation, 0.9);
  EXPECT_GT(quality->best_of_top_8, 0.9);
  const auto others = examples(2, 100, 2);  // of other programs
  EXPECT_GT(quality_of(others, scores(*model, others)).rank_correlation, 0.9);
}

TEST(XgboostModel, ScoresLikeTheAnalyticModelUntilItIsTrained) {
  const auto model = new_xgboost_model().value();
  const auto data = examples(1, 4, 1);
  const std::vector<double> got = scores(*model, data);
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_DOUBLE_EQ(got[i], std::log(data[i].draft_seconds));
  }
}

TEST(XgboostModel, IsTheSameForTheSameSeed) {
  const auto data = examples(2, 60, 1);
  auto a = new_xgboost_model().value(), b = new_xgboost_model().value();
  ASSERT_TRUE(a->train(data, 5).ok());
  ASSERT_TRUE(b->train(data, 5).ok());
  EXPECT_EQ(scores(*a, data), scores(*b, data));
}

TEST(XgboostModel, GoesOnFromWhatWasSaved) {
  const ScratchFolder folder;
  const std::string path = folder / "model";
  auto first = new_xgboost_model().value();
  const auto data = examples(2, 100, 1);
  ASSERT_TRUE(first->train(data, 1).ok());
  ASSERT_TRUE(save_model(*first, path).ok());
  auto second = load_model(path);
  ASSERT_TRUE(second.ok()) << second.rejection().message();
  EXPECT_EQ(scores(*first, data), scores(**second, data));
  // A program of which little is known: what was learned from others stays.
  const auto few = examples(1, 20, 9);
  ASSERT_TRUE((*second)->train(few, 1).ok());
  const auto others = examples(2, 100, 3);
  EXPECT_GT(quality_of(others, scores(**second, others)).rank_correlation, 0.85);
  std::filesystem::remove(path);
}

TEST(XgboostModel, LearnsNothingFromAHandfulOfExamples) {
  auto model = new_xgboost_model().value();
  const auto data = examples(1, 5, 1);
  const auto quality = model->train(data, 1);
  ASSERT_TRUE(quality.ok());
  EXPECT_EQ(quality->held_out, 0);
  EXPECT_DOUBLE_EQ(scores(*model, data)[0], std::log(data[0].draft_seconds));
}

TEST(XgboostModel, RefusesFeaturesThatAreInfinite) {
  auto model = new_xgboost_model().value();
  auto data = examples(1, 40, 1);
  data[0].features.values[0] = std::numeric_limits<float>::infinity();
  const auto quality = model->train(data, 1);
  ASSERT_FALSE(quality.ok());
  EXPECT_EQ(quality.rejection().reason(), Reason::LearnerFailed);
}

TEST(XgboostModel, RefusesExamplesOfOtherFeatures) {
  auto model = new_xgboost_model().value();
  auto data = examples(1, 40, 1);
  data[0].features.values.pop_back();
  const auto quality = model->train(data, 1);
  ASSERT_FALSE(quality.ok());
  EXPECT_EQ(quality.rejection().reason(), Reason::ModelUnfit);
}

TEST(XgboostModel, RefusesFilesThatDoNotFit) {
  const ScratchFolder folder;
  const std::string path = folder / "unfit";
  ASSERT_TRUE(write_file(path, "not a model").ok());
  EXPECT_EQ(load_model(path).rejection().reason(), Reason::ModelUnfit);
  // A sound model, of columns with other names.
  auto model = new_xgboost_model().value();
  ASSERT_TRUE(save_model(*model, path).ok());
  std::string bytes = read_file(path).value();
  const std::size_t at = bytes.find("count.additions");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 15, "count.something");
  ASSERT_TRUE(write_file(path, bytes).ok());
  const auto read = load_model(path);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.rejection().reason(), Reason::ModelUnfit);
  EXPECT_NE(read.rejection().message().find("count.something"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_EQ(save_model(*draft_only_model(), path).rejection().reason(), Reason::ModelUnfit);
}

TEST(XgboostModel, TheShippedOneFitsThisProgram) {
  const auto model = pretrained_model();
  ASSERT_TRUE(model.ok()) << model.rejection().message();
}

}  // namespace
}  // namespace cambium::tune
