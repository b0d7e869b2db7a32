#include "train/rate.h"

#include <cmath>

#include <gtest/gtest.h>

namespace cambium::train {
namespace {

RateOptions law(RateLaw which) {
  RateOptions options;
  options.law = which;
  options.peak = 0.5;
  return options;
}

TEST(Rate, ConstantNeverChanges) {
  for (const std::int64_t step : {0, 5, 10}) {
    EXPECT_EQ(rate_at(law(RateLaw::Constant), step, 11), 0.5);
  }
}

TEST(Rate, WarmUpRisesLinearlyFromItsStartToThePeak) {
  for (const RateLaw which :
       {RateLaw::Constant, RateLaw::Cosine, RateLaw::MultiStep, RateLaw::OneCycle}) {
    RateOptions options = law(which);
    options.warmup = 0.4;
    options.start = 0.2;
    EXPECT_DOUBLE_EQ(rate_at(options, 0, 10), 0.5 * 0.2);
    EXPECT_DOUBLE_EQ(rate_at(options, 2, 10), 0.5 * 0.6);
    EXPECT_DOUBLE_EQ(rate_at(options, 4, 10), 0.5);
  }
}

TEST(Rate, CosineStandsAtHalfInTheMiddle) {
  RateOptions options = law(RateLaw::Cosine);
  options.end = 0.1;
  EXPECT_DOUBLE_EQ(rate_at(options, 0, 101), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(options, 50, 101), 0.5 * (0.1 + 0.9 / 2));
  EXPECT_DOUBLE_EQ(rate_at(options, 25, 101), 0.5 * (0.1 + 0.9 * (1 + std::sqrt(0.5)) / 2));
  EXPECT_DOUBLE_EQ(rate_at(options, 100, 101), 0.05);
}

TEST(Rate, OneCycleIsATriangle) {
  RateOptions options = law(RateLaw::OneCycle);
  options.warmup = 0.2;
  EXPECT_DOUBLE_EQ(rate_at(options, 0, 101), 0);
  EXPECT_DOUBLE_EQ(rate_at(options, 10, 101), 0.25);
  EXPECT_DOUBLE_EQ(rate_at(options, 20, 101), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(options, 60, 101), 0.25);
  EXPECT_DOUBLE_EQ(rate_at(options, 100, 101), 0);
}

TEST(Rate, MultiStepFallsAtItsMilestones) {
  RateOptions options = law(RateLaw::MultiStep);
  options.milestones = {0.5, 0.75};
  options.factor = 0.1;
  EXPECT_DOUBLE_EQ(rate_at(options, 0, 100), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(options, 49, 100), 0.5);
  EXPECT_DOUBLE_EQ(rate_at(options, 50, 100), 0.05);
  EXPECT_DOUBLE_EQ(rate_at(options, 74, 100), 0.05);
  EXPECT_DOUBLE_EQ(rate_at(options, 75, 100), 0.005);
  EXPECT_DOUBLE_EQ(rate_at(options, 99, 100), 0.005);
}

TEST(Rate, RisesToThePeakAndThenNeverRisesAgain) {
  for (const RateLaw which :
       {RateLaw::Constant, RateLaw::Cosine, RateLaw::MultiStep, RateLaw::OneCycle}) {
    for (const std::int64_t steps : {1, 2, 3, 7, 250}) {
      RateOptions options = law(which);
      options.warmup = 0.3;
      options.milestones = {0.4, 0.8};
      bool falls = false;
      for (std::int64_t step = 1; step < steps; ++step) {
        const double before = rate_at(options, step - 1, steps),
                     now = rate_at(options, step, steps);
        EXPECT_LE(now, options.peak);
        EXPECT_GE(now, 0);
        falls = falls || now < before;
        EXPECT_TRUE(!falls || now <= before) << steps << " steps, step " << step;
      }
    }
  }
}

TEST(Rate, ATrainingOfOneStepHasARate) {
  EXPECT_EQ(rate_at(law(RateLaw::Cosine), 0, 1), 0.5);
  EXPECT_EQ(rate_at(law(RateLaw::OneCycle), 0, 1), 0.5);
}

}  // namespace
}  // namespace cambium::train
