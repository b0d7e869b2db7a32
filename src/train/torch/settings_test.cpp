// That no setting of a recipe is idle: each one, changed alone, trains other weights.
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "train/torch/small_task_testing.h"
#include "train/trainer.h"

namespace cambium::train {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Change {
  std::string to;
  Settings with = {};  // what else must be set for it to matter
};

// By setting. Not here: what the model fixes (length) and what only says how the same numbers are
// computed (channels-last).
const std::map<std::string, Change> kChanges = {
    {"epochs", {"2"}},
    {"batch", {"16"}},
    {"optimizer", {"adamw"}},
    {"momentum", {"0.5"}},
    {"nesterov", {"no"}},
    {"beta1", {"0.5", {{"optimizer", "adamw"}}}},
    {"beta2", {"0.9", {{"optimizer", "adamw"}}}},
    {"alpha", {"0.5", {{"optimizer", "rmsprop"}}}},
    {"epsilon", {"0.1", {{"optimizer", "adamw"}}}},
    {"weight-decay", {"0.1"}},
    {"decays-norms", {"yes", {{"weight-decay", "0.1"}}}},
    {"clip", {"0.01"}},
    {"law", {"cosine"}},
    {"rate", {"0.05"}},
    {"warmup", {"0.5"}},
    {"start", {"0.5", {{"warmup", "0.5"}}}},
    {"end", {"0.5"}},
    {"milestones", {"0.7", {{"law", "multi-step"}, {"milestones", "0.3"}}}},
    {"factor", {"0.5", {{"law", "multi-step"}, {"milestones", "0.3"}}}},
    {"label-smoothing", {"0.1"}},
    {"ema", {"0.9"}},
    {"pad", {"1"}},
    {"flip", {"yes"}},
    {"cutout", {"2"}},
    {"precision", {"bf16"}},
};

class Trained : public testing::Test {
 protected:
  Recipe recipe(const Settings& settings) const {
    Recipe out;
    out.epochs = 1;
    out.batch = 32;
    out.rate.peak = 0.02;
    for (const auto& setting : settings) {
      EXPECT_TRUE(assign(out, setting.first, setting.second).ok()) << setting.first;
    }
    return out;
  }
  TrainReport trained(const Recipe& with, bool validates = true) const {
    TrainOptions options;
    options.recipe = with;
    options.validates = validates;
    auto out = train(small_network(), data_, options);
    EXPECT_TRUE(out.ok()) << out.rejection().message();
    return std::move(out).value();
  }

  Lines lines_;
  data::Dataset data_ = data::open_dataset(lines_.spec()).value();
};

class Setting : public Trained, public testing::WithParamInterface<std::string> {};

TEST_P(Setting, ChangesWhatIsTrained) {
  const Change& change = kChanges.at(GetParam());
  Recipe changed = recipe(change.with);
  ASSERT_TRUE(assign(changed, GetParam(), change.to).ok());
  EXPECT_NE(model::content_of(trained(changed).model),
            model::content_of(trained(recipe(change.with)).model));
}

std::vector<std::string> changed_settings() {
  std::vector<std::string> names;
  for (const auto& change : kChanges) names.push_back(change.first);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Setting, testing::ValuesIn(changed_settings()), [](const auto& test) {
  std::string name;
  for (const char c : test.param) name.push_back(c == '-' ? '_' : c);
  return name;
});

TEST(Settings, AreAllTried) {
  for (const auto& setting : settings_of(Recipe{})) {
    const bool is_exempt = setting.first == "length" || setting.first == "channels-last";
    EXPECT_NE(kChanges.contains(setting.first), is_exempt) << setting.first;
  }
}

// With the rate at 0 all epochs see the same network: the loss is linear in the share, and what is
// judged is not smoothed.
TEST_F(Trained, LossMixesAllClassesInWhereItIsSmoothed) {
  const auto losses = [this](const char* share) {
    const TrainReport report = trained(recipe({{"rate", "0"}, {"label-smoothing", share}}));
    return std::pair(report.epochs[0].loss, report.epochs[0].validation->loss);
  };
  const auto none = losses("0"), some = losses("0.2"), more = losses("0.4");
  EXPECT_GT(std::abs(some.first - none.first), 1e-3);
  EXPECT_NEAR(some.first, (none.first + more.first) / 2, 1e-5);
  EXPECT_EQ(some.second, none.second);
}

// From half of the steps on the rate is 0: weights stay what the first epoch made of them.
TEST_F(Trained, WeightsFollowTheLawOfTheRateStepByStep) {
  const auto weights = [this](const Settings& settings) {
    const TrainReport report = trained(recipe(settings), /*validates=*/false);  // the last count
    std::vector<std::vector<double>> out;
    for (const model::NodePtr& node : report.model.nodes()) {
      if (node->name != "w" && node->name != "v" && node->name != "b") continue;
      out.push_back(report.model.weight({node->id, 0})->to_doubles());
    }
    return out;
  };
  const auto one = weights({{"law", "constant"}});
  const auto two =
      weights({{"epochs", "2"}, {"law", "multi-step"}, {"milestones", "0.5"}, {"factor", "0"}});
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(one, two);
  EXPECT_NE(one, weights({{"epochs", "2"}, {"law", "constant"}}));
}

}  // namespace
}  // namespace cambium::train
