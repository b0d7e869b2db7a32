#include "search/reward.h"

#include <gtest/gtest.h>

namespace cambium::search {
namespace {

study::Scores scores_of(double accuracy, double latency = 0, double macs = 0) {
  study::Scores scores;
  scores.set(study::Metric::Accuracy, {accuracy});
  if (latency > 0) scores.set(study::Metric::Latency, {latency});
  if (macs > 0) scores.set(study::Metric::Macs, {macs});
  return scores;
}

Reason refusal_of(std::string_view json) {
  const auto options = parse_reward(json);
  return options.ok() ? Reason::NotFound : options.rejection().reason();
}

TEST(Reward, OfAccuracyIsAPowerOfItsPlaceBetweenTwoBounds) {
  RewardOptions options;
  options.low = 0.2;
  options.high = 0.7;
  const study::Scores none;
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.45), none), 0.0625);
  EXPECT_EQ(reward_of(options, scores_of(0.1), none), 0);
  EXPECT_EQ(reward_of(options, scores_of(0.9), none), 1);
  EXPECT_EQ(reward_of(options, study::Scores{}, none), 0);
}

TEST(Reward, IsRelativeToTheOriginalUnlessToldOtherwise) {
  RewardOptions options;
  options.power = 1;
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.3), scores_of(0.6)), 0.5);
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.3), study::Scores{}), 0.3);
  options.is_relative = false;
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.3), scores_of(0.6)), 0.3);
}

TEST(Reward, OfARatioAsksForAccuracyFirst) {
  RewardOptions options;
  options.kind = RewardOptions::Kind::Ratio;
  options.is_relative = false;
  options.least = 0.6;
  const study::Scores original = scores_of(0.65, 0.010, 4e9);
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.5, 0.001), original), 0.5);
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.61, 0.005), original), 0.6 + 0.4 * 0.5);
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.69, 0.020), original), 0.6);
  EXPECT_GT(reward_of(options, scores_of(0.61, 0.002), original),
            reward_of(options, scores_of(0.61, 0.003), original));
}

TEST(Reward, TakesMacsWhereNothingElseIsKnown) {
  RewardOptions options;
  options.kind = RewardOptions::Kind::Ratio;
  options.is_relative = false;
  options.least = 0.6;
  const study::Scores original = scores_of(0.65, 0.010, 4e9);
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.7, 0, 1e9), original), 0.6 + 0.4 * 0.75);
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.7), original), 0.6);
}

TEST(Reward, HoldsNoEstimateAgainstAMeasurement) {
  RewardOptions options;
  options.kind = RewardOptions::Kind::Ratio;
  options.is_relative = false;
  options.least = 0.6;
  const study::Scores measured = scores_of(0.65, 0.010, 4e9);
  study::Scores candidate = scores_of(0.7, 0, 1e9), estimated = measured;
  candidate.set(study::Metric::Latency, {0.009, 0, true});
  estimated.set(study::Metric::Latency, {0.018, 0, true});
  const double by_macs = 0.6 + 0.4 * 0.75;
  EXPECT_DOUBLE_EQ(reward_of(options, candidate, measured), by_macs);
  EXPECT_DOUBLE_EQ(reward_of(options, candidate, estimated), 0.6 + 0.4 * 0.5) << "like with like";
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.7, 0.001, 1e9), estimated), by_macs);
}

TEST(Reward, OfACostAsksForNoAccuracy) {
  RewardOptions options;
  options.kind = RewardOptions::Kind::Cost;
  options.least = 0.6;
  const study::Scores original = scores_of(0.65, 0.010, 4e9);
  study::Scores untrained;
  untrained.set(study::Metric::Latency, {0.005});
  EXPECT_DOUBLE_EQ(reward_of(options, untrained, original), 0.6 + 0.4 * 0.5);
  EXPECT_DOUBLE_EQ(reward_of(options, scores_of(0.1, 0.005), original), 0.6 + 0.4 * 0.5);
  EXPECT_DOUBLE_EQ(reward_of(options, {}, original), 0.6);
  EXPECT_EQ(parse_reward(to_json(options)).value(), options);
}

TEST(Reward, ReadsPerplexityAsTheChanceOfTheRightWord) {
  study::Scores scores;
  scores.set(study::Metric::Perplexity, {4});
  RewardOptions options;
  options.power = 1;
  EXPECT_DOUBLE_EQ(reward_of(options, scores, {}), 0.25);
}

TEST(Reward, IsTheSameAfterJson) {
  RewardOptions options;
  options.kind = RewardOptions::Kind::Ratio;
  options.low = 0.1;
  options.power = 2;
  options.is_relative = false;
  options.cost = study::Metric::Memory;
  EXPECT_EQ(parse_reward(to_json(options)).value(), options);
  EXPECT_EQ(parse_reward("{}").value(), RewardOptions{});
}

TEST(Reward, RefusesWhatMakesNoSense) {
  EXPECT_EQ(refusal_of("{"), Reason::BadSyntax);
  EXPECT_EQ(refusal_of("3"), Reason::MissingField);
  EXPECT_EQ(refusal_of(R"({"low": "x"})"), Reason::MissingField);
  EXPECT_EQ(refusal_of(R"({"power": 1.5})"), Reason::MissingField);
  EXPECT_EQ(refusal_of(R"({"relative": 1})"), Reason::MissingField);
  for (const char* json :
       {R"({"lowest": 1})", R"({"low": 0.9, "high": 0.1})", R"({"power": 0})", R"({"least": 1})",
        R"({"most": 0})", R"({"cost": "accuracy"})", R"({"cost": "joy"})", R"({"kind": "joy"})"}) {
    EXPECT_EQ(refusal_of(json), Reason::BadOption) << json;
  }
}

}  // namespace
}  // namespace cambium::search
