#include "train/recipe.h"

#include <limits>

#include <gtest/gtest.h>

#include "train/recipe_settings.h"

namespace cambium::train {
namespace {

// The message of the refusal after one change, or "" if it is accepted.
template <class Change>
std::string refused(Change change) {
  Recipe recipe;
  change(recipe);
  const Status status = check(recipe);
  if (status.ok()) return "";
  EXPECT_EQ(status.rejection().reason(), Reason::BadOption);
  return status.rejection().message();
}

TEST(Recipe, AcceptsTheUsualOneAndEveryNamedOne) {
  EXPECT_TRUE(check(Recipe{}).ok());
  for (const NamedRecipe& each : recipes()) {
    EXPECT_TRUE(check(each.recipe).ok()) << each.name;
    EXPECT_TRUE(recipe_named(each.name).ok());
  }
}

TEST(Recipe, RefusesWhatIsNegativeNotFiniteOrBeyondAShare) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refused([](Recipe& r) { r.epochs = 0; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.batch = -1; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.optimizer.momentum = 1; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.optimizer.weight_decay = -1e-9; }), "");
  EXPECT_NE(refused([&](Recipe& r) { r.rate.peak = nan; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.rate.warmup = 1.01; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.label_smoothing = 1; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.ema = 1; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.augmentation.pad = -1; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.length = 0; }), "");
  EXPECT_EQ(refused([](Recipe& r) { r.rate.warmup = 1; }), "");
}

TEST(Recipe, RefusesMilestonesThatDoNotRise) {
  EXPECT_NE(refused([](Recipe& r) { r.rate.milestones = {0.5, 0.5}; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.rate.milestones = {0.5, 1.5}; }), "");
  EXPECT_NE(refused([](Recipe& r) { r.rate.law = RateLaw::MultiStep; }), "");
  EXPECT_EQ(refused([](Recipe& r) { r.rate.milestones = {0.5, 0.75}; }), "");
}

TEST(Recipe, TextTellsOnlyWhatDiffers) {
  EXPECT_EQ(to_text(Recipe{}), "");
  Recipe recipe;
  recipe.optimizer.kind = OptimizerKind::AdamW;
  recipe.rate.milestones = {0.5, 0.75};
  recipe.augmentation.flip = true;
  EXPECT_EQ(to_text(recipe), "optimizer = adamw\nmilestones = 0.5,0.75\nflip = yes\n");
}

TEST(Recipe, ReadsBackEverySettingThatItPrints) {
  for (const NamedRecipe& each : recipes()) {
    Recipe read;
    for (const auto& setting : settings_of(each.recipe)) {
      EXPECT_TRUE(assign(read, setting.first, setting.second).ok()) << setting.first;
    }
    EXPECT_EQ(settings_of(read), settings_of(each.recipe)) << each.name;
    EXPECT_EQ(fingerprint_of(read), fingerprint_of(each.recipe));
  }
}

TEST(Recipe, ExplainsEverySetting) {
  const auto defaults = settings_of(Recipe{});
  const auto explained = recipe_settings();
  ASSERT_EQ(explained.size(), defaults.size());
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    EXPECT_EQ(explained[i].name, defaults[i].first);
    EXPECT_FALSE(explained[i].meaning.empty()) << explained[i].name;
    EXPECT_EQ(explained[i].standard, defaults[i].second.empty() ? "none" : defaults[i].second);
  }
}

TEST(Recipe, FingerprintTellsSettingsApart) {
  Recipe other;
  other.rate.end = 0.01;
  EXPECT_NE(fingerprint_of(other), fingerprint_of(Recipe{}));
}

TEST(Recipe, RefusesUnknownSettingsNamesAndValues) {
  Recipe recipe;
  const auto message = [&](const char* name, const char* value) {
    const Status status = assign(recipe, name, value);
    return status.ok() ? std::string() : status.rejection().message();
  };
  EXPECT_NE(message("epoch", "3").find("'epochs'"), std::string::npos);
  EXPECT_NE(message("optimizer", "adam").find("adamw"), std::string::npos);
  EXPECT_NE(message("epochs", "3.5"), "");
  EXPECT_NE(message("epochs", "-3"), "");
  EXPECT_NE(message("rate", "fast"), "");
  EXPECT_NE(message("flip", "1"), "");
  EXPECT_NE(message("milestones", "0.5,,0.7"), "");
  EXPECT_EQ(settings_of(recipe), settings_of(Recipe{})) << "a refusal changes nothing";
  const auto named = recipe_named("grey");
  ASSERT_FALSE(named.ok());
  EXPECT_EQ(named.rejection().reason(), Reason::BadOption);
  EXPECT_NE(named.rejection().message().find("gray, color"), std::string::npos);
}

}  // namespace
}  // namespace cambium::train
