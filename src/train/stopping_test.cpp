#include "train/stopping.h"

#include <string>

#include <gtest/gtest.h>

namespace cambium::train {
namespace {

TEST(CurveRule, AsksForAShareOfTheBestThatRisesToOne) {
  const auto rule = curve_rule(0.5);
  EXPECT_FALSE(rule->stops({0.0}, 5)) << "nothing to compare with yet";
  rule->learn({0.25, 0.5, 0.75, 0.75, 0.75}, true);
  // lambda is 0.5, 0.625, 0.75, 0.875, 1 after epochs 1 to 5.
  EXPECT_FALSE(rule->stops({0.125}, 5));
  EXPECT_TRUE(rule->stops({0.1249}, 5));
  EXPECT_FALSE(rule->stops({0.125, 0.3125}, 5));
  EXPECT_TRUE(rule->stops({0.125, 0.3124}, 5));
  EXPECT_FALSE(rule->stops({0.125, 0.375, 0.5625}, 5));
  EXPECT_TRUE(rule->stops({0.125, 0.375, 0.5624}, 5));
  EXPECT_FALSE(rule->stops({0.125, 0.375, 0.6, 0.7, 0.1}, 5)) << "nothing is saved after the last";
}

TEST(CurveRule, TakesTheBestOfAnyCurvePerEpoch) {
  const auto rule = curve_rule(1);
  rule->learn({0.4, 0.5}, false);
  rule->learn({0.3, 0.6, 0.7}, true);
  EXPECT_TRUE(rule->stops({0.39}, 3));
  EXPECT_FALSE(rule->stops({0.4}, 3));
  EXPECT_TRUE(rule->stops({0.4, 0.59}, 3));
  EXPECT_FALSE(rule->stops({0.4, 0.6}, 3));
}

TEST(MilestoneRule, AsksForTheBestSoFarAtItsEpochsOnly) {
  const auto rule = milestone_rule({{1, 0.1}, {3, 0.5}});
  EXPECT_TRUE(rule->stops({0.09}, 10));
  EXPECT_FALSE(rule->stops({0.1}, 10));
  EXPECT_FALSE(rule->stops({0.1, 0.0}, 10));
  EXPECT_TRUE(rule->stops({0.1, 0.2, 0.4}, 10));
  EXPECT_FALSE(rule->stops({0.1, 0.55, 0.4}, 10)) << "the best so far counts, not the last";
  EXPECT_FALSE(rule->stops({0.1, 0.2, 0.4, 0.4}, 10));
}

TEST(HalvingRule, KeepsTheBestThirdOfThoseThatGotThere) {
  const auto rule = halving_rule(1, 3);
  EXPECT_FALSE(rule->stops({0.1}, 9)) << "the first is always among the best";
  rule->learn({0.1, 0.2, 0.3}, true);
  EXPECT_TRUE(rule->stops({0.05}, 9));  // one of two is better, one goes on
  EXPECT_FALSE(rule->stops({0.15}, 9));
  for (const double score : {0.2, 0.3, 0.4, 0.5}) rule->learn({score}, false);
  // Five others and itself: the best two go on.
  EXPECT_FALSE(rule->stops({0.45}, 9));
  EXPECT_TRUE(rule->stops({0.35}, 9));
  EXPECT_FALSE(rule->stops({0.45, 0.0}, 9)) << "epoch 2 is no rung";
  EXPECT_TRUE(rule->stops({0.45, 0.0, 0.29}, 9)) << "one other got to epoch 3, with 0.3";
  EXPECT_FALSE(rule->stops({0.45, 0.0, 0.31}, 9));
}

TEST(HalvingRule, TiesGoOn) {
  const auto rule = halving_rule(2, 2);
  rule->learn({0.5, 0.5}, true);
  EXPECT_FALSE(rule->stops({0.1}, 8)) << "the first rung is epoch 2";
  EXPECT_FALSE(rule->stops({0.1, 0.5}, 8));
}

TEST(OriginalRule, AsksForAShareOfTheFirstCurveAtTheSameEpoch) {
  const auto rule = original_rule(0.5);
  EXPECT_FALSE(rule->stops({0.0}, 3)) << "there is no original yet";
  rule->learn({0.5, 0.25, 0.75}, true);
  rule->learn({1, 1, 1}, true);  // of another candidate: nothing to it
  EXPECT_FALSE(rule->stops({0.25}, 3));
  EXPECT_TRUE(rule->stops({0.2499}, 3));
  EXPECT_FALSE(rule->stops({0.25, 0.125}, 3));
  EXPECT_FALSE(rule->stops({0.25, 0.125, 0}, 3)) << "nothing is saved after the last";
  EXPECT_FALSE(rule->stops({0.25, 0.125, 0.5, 0}, 9)) << "the original was not trained so long";
}

TEST(StoppingRule, PrintsWhatItReads) {
  for (const char* text :
       {"none", "curve:0.5", "milestones:1=0.3,5=0.6", "halving:1,3", "below-original:0.6"}) {
    const auto rule = stopping_rule_of(text);
    ASSERT_TRUE(rule.ok()) << text;
    EXPECT_EQ((*rule)->text(), text);
  }
}

TEST(StoppingRule, RefusesWhatIsNoRule) {
  for (const char* text :
       {"", "curves:0.5", "curve", "curve:1.5", "curve:x", "milestones:", "milestones:5",
        "milestones:5=0.6,1=0.3", "milestones:0=0.3", "halving:1", "halving:0,3", "halving:1,1",
        "below-original", "below-original:0", "below-original:1.1"}) {
    const auto rule = stopping_rule_of(text);
    ASSERT_FALSE(rule.ok()) << text;
    EXPECT_EQ(rule.rejection().reason(), Reason::BadOption) << text;
  }
}

// Three good ones, of which one begins badly, and two bad ones.
std::vector<Curve> recorded() {
  return {{0.5, 0.7, 0.8, 0.90},
          {0.1, 0.2, 0.3, 0.4},
          {0.2, 0.6, 0.85, 0.89},
          {0.5, 0.6, 0.6, 0.6},
          {0.6, 0.8, 0.9, 0.91}};
}

TEST(Study, CountsWhatCurveRuleSavesAndLoses) {
  const auto rule = curve_rule(0.5);
  const StoppingStudy out = study(*rule, recorded(), 0.025);
  // lambda is 0.5, 0.667, 0.833: the second stops after epoch 1 (0.1 < 0.25), the third too
  // (0.2 < 0.25), the fourth after epoch 3 (0.6 < 0.667), nothing else.
  EXPECT_EQ(out.curves, 5);
  EXPECT_EQ(out.stopped, 3);
  EXPECT_EQ(out.epochs, 20);
  EXPECT_EQ(out.saved, 3 + 3 + 1);
  EXPECT_EQ(out.good, 3);
  EXPECT_EQ(out.good_lost, 1);
  EXPECT_DOUBLE_EQ(out.best_lost, 0);
}

TEST(Study, CountsWhatMilestonesSaveAndLose) {
  const auto rule = milestone_rule({{1, 0.15}, {2, 0.65}});
  const StoppingStudy out = study(*rule, recorded(), 0.025);
  EXPECT_EQ(out.stopped, 3);  // the second after 1, the third and the fourth after 2
  EXPECT_EQ(out.saved, 3 + 2 + 2);
  EXPECT_EQ(out.good_lost, 1);
}

TEST(Study, CountsWhatHalvingSavesAndLoses) {
  const auto rule = halving_rule(1, 2);
  const StoppingStudy out = study(*rule, recorded(), 0.025);
  // After epoch 1: 0.5 goes on; 0.1 is second of 2 (one kept); 0.2 is second of 3 (one kept); 0.5
  // ties for first of 4 and goes on, and falls after epoch 2 (second of 2); 0.6 goes on.
  EXPECT_EQ(out.stopped, 3);
  EXPECT_EQ(out.saved, 3 + 3 + 2);
  EXPECT_EQ(out.good_lost, 1);
  EXPECT_DOUBLE_EQ(out.best_lost, 0);
}

TEST(Study, SaysWhatTheBestLostOneCosts) {
  const auto rule = milestone_rule({{1, 0.55}});
  const StoppingStudy out = study(*rule, {{0.5, 0.9}, {0.6, 0.7}}, 0);
  EXPECT_EQ(out.good_lost, 1);
  EXPECT_DOUBLE_EQ(out.best_lost, 0.9 - 0.7);
}

}  // namespace
}  // namespace cambium::train
