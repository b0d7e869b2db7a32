#include "engine/training/train.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/scratch_folder_testing.h"
#include "engine/files.h"

namespace cambium::engine {
namespace {

TEST(Spread, IsMeanAndDeviationOfTheSamples) {
  const Spread spread = spread_of({1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(spread.mean, 3);
  EXPECT_NEAR(spread.deviation, 2.1602468994692869, 1e-12);  // sqrt(14 / 3)
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.most, 6);
  EXPECT_EQ(spread_of({5}).deviation, 0);
}

TEST(TrainModel, RefusesBeforeAnythingIsTrained) {
  const auto model = load_model("zoo:tiny-resnet", {});
  ASSERT_TRUE(model.ok());
  const auto reason = [&](auto change) {
    TrainingOptions options;
    options.data = "fashion-mnist";
    options.device = "cpu";
    change(options);
    const auto report = train_model(model->model, options, {});
    EXPECT_FALSE(report.ok());
    return report.rejection().reason();
  };
  if (!require_feature("torch").ok()) {
    EXPECT_EQ(reason([](TrainingOptions&) {}), Reason::Unavailable);
    return;
  }
  EXPECT_EQ(reason([](TrainingOptions& o) { o.data = "fashion"; }), Reason::UnknownDataset);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.recipe = "grey"; }), Reason::BadOption);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.stopping = "curve:2"; }), Reason::BadOption);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.initialization = "kaiming"; }), Reason::BadOption);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.settings = {{"rat", "1"}}; }), Reason::BadOption);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.settings = {{"rate", "-1"}}; }), Reason::BadOption);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.together = 0; }), Reason::BadOption);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.together = 2, o.traces = true; }), Reason::BadOption);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.device = "tpu"; }), Reason::BadOption);
  EXPECT_EQ(reason([](TrainingOptions& o) { o.device = "cuda:77"; }), Reason::Unavailable);
}

}  // namespace
}  // namespace cambium::engine
