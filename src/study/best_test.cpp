#include "study/best.h"

#include <gtest/gtest.h>

namespace cambium::study {
namespace {

Scores judged(double accuracy, double latency, double epochs = 10) {
  Scores scores;
  scores.set(Metric::Accuracy, {accuracy, 0, false, false, 1, epochs});
  scores.set(Metric::Latency, {latency});
  return scores;
}

BestRule rule_of(const std::vector<LimitText>& texts, const Scores& original,
                 Metric quality = Metric::Accuracy) {
  return BestRule::of(texts, original, quality).value();
}

TEST(Best, FollowsTheLimitsOfTheSearch) {
  const Scores original = judged(0.90, 4), within = judged(0.883, 2);
  const BestRule two = rule_of({{Metric::Accuracy, "2%", true}}, original);
  EXPECT_TRUE(two.allows(within));
  EXPECT_FALSE(two.allows(judged(0.879, 2)));
  EXPECT_FALSE(two.is_default());
  EXPECT_EQ(two.text(), "accuracy at most 2% below the original's");
  EXPECT_FALSE(rule_of({{Metric::Accuracy, "1%", true}}, original).allows(within));
  EXPECT_TRUE(rule_of({{Metric::Accuracy, "88%", false}}, original).allows(within));
}

TEST(Best, WithoutLimitsIsNearTheOriginal) {
  const Scores original = judged(0.90, 4);
  const BestRule rule = rule_of({}, original);
  EXPECT_TRUE(rule.is_default());
  EXPECT_TRUE(rule.allows(judged(0.891, 2)));
  EXPECT_FALSE(rule.allows(judged(0.889, 2)));
  EXPECT_FALSE(rule_of({}, {}).allows(judged(0.99, 2))) << "the original is unknown";
}

TEST(Best, IsWithinAllLimits) {
  const BestRule rule =
      rule_of({{Metric::Latency, "0.5x", false}, {Metric::Accuracy, "2%", true}}, judged(0.90, 4));
  EXPECT_EQ(rule.text(),
            "latency at most 0.5x the original's, accuracy at most 2% below the original's");
  EXPECT_TRUE(rule.allows(judged(0.885, 2)));
  EXPECT_FALSE(rule.allows(judged(0.885, 3)));
  EXPECT_FALSE(rule.allows(judged(0.50, 2)));
}

TEST(Best, APerplexityIsAtMostOnePercentAbove) {
  Scores original, near, far;
  original.set(Metric::Perplexity, {20});
  near.set(Metric::Perplexity, {20.1});
  far.set(Metric::Perplexity, {20.3});
  const BestRule rule = rule_of({}, original, Metric::Perplexity);
  EXPECT_TRUE(rule.allows(near));
  EXPECT_FALSE(rule.allows(far));
  EXPECT_EQ(rule.text(), "perplexity at most 1 % above the original's");
}

TEST(Best, WasTrainedAsLongAsTheOriginal) {
  const BestRule rule = rule_of({}, judged(0.90, 4, 10));
  EXPECT_TRUE(rule.allows(judged(0.90, 2, 10)));
  EXPECT_FALSE(rule.allows(judged(0.90, 2, 12)));
}

TEST(Best, IsTheCheapestThatWasMeasured) {
  const Scores original = judged(0.90, 4), slow = judged(0.90, 3), fast = judged(0.90, 2);
  Scores guessed = fast;
  guessed.set(Metric::Latency, {1, 0, true});
  const Scores* const all[] = {nullptr, &slow, &fast, &guessed};
  const BestRule rule = rule_of({}, original);
  EXPECT_EQ(rule.cheapest(all, Metric::Latency), 2U);
  EXPECT_EQ(rule.cheapest(all, Metric::Macs), std::nullopt);
}

TEST(Best, RefusesLimitsThatCannotBeRead) {
  EXPECT_EQ(
      BestRule::of({{Metric::Macs, "many", false}}, {}, Metric::Accuracy).rejection().reason(),
      Reason::BadOption);
}

}  // namespace
}  // namespace cambium::study
