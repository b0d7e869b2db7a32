#include "train/verdict.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/student.h"

namespace cambium::train {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

using Draws = std::vector<double>;

Verdict verdict(const Draws& draws, const VerdictOptions& options = {}) {
  return judged(draws, options).verdict;
}

TEST(Looks, DoubleUntilTheMost) {
  EXPECT_EQ(looks({}), (std::vector<int>{4, 8, 16, 32}));
  EXPECT_EQ(looks({4, 24}), (std::vector<int>{4, 8, 16, 24}));
  EXPECT_EQ(looks({3, 7}), (std::vector<int>{3, 6, 7}));
  EXPECT_EQ(looks({5, 5}), (std::vector<int>{5}));
  EXPECT_EQ(looks({1, 1}), (std::vector<int>{1}));
  EXPECT_EQ(looks({1, 3}), (std::vector<int>{1, 2, 3}));
}

TEST(LogRatio, IsZeroWithinRoundingAndMinusInfinityForNothing) {
  EXPECT_EQ(log_ratio(2.5, 2.5), 0);
  EXPECT_EQ(log_ratio(1 + 1e-5, 1), 0);
  EXPECT_EQ(log_ratio(1 - 1e-5, 1), 0);
  EXPECT_NEAR(log_ratio(1.01, 1), std::log(1.01), 1e-15);
  EXPECT_NEAR(log_ratio(0.5, 2), std::log(0.25), 1e-15);
  EXPECT_EQ(log_ratio(0, 2), -kInfinite);
}

TEST(Verdict, FollowsTheIntervalOfTheMean) {
  // Mean 0.25, standard error 0.05 / 2: far from 0 at any level.
  const Draws clear = {0.2, 0.3, 0.2, 0.3};
  EXPECT_EQ(verdict(clear), Verdict::Legal);
  Draws below;
  for (const double each : clear) below.push_back(-each);
  EXPECT_EQ(verdict(below), Verdict::Illegal);
  EXPECT_EQ(verdict({0.2, -0.3, 0.2, -0.3}), Verdict::Undecided);
  EXPECT_EQ(verdict({0.3, -0.1, 0.3, -0.1}), Verdict::Undecided) << "above 0, but not surely";
}

// Draws -1, 0, 1, 2: mean 0.5, deviation sqrt(5/3), standard error sqrt(5/12).
TEST(Verdict, HasTheIntervalThatIsWorkedOutOnPaper) {
  VerdictOptions options{4, 4, 0.9};
  const Draws draws = {-1, 0, 1, 2};
  const double error = std::sqrt(5.0 / 12);
  const Judgement once = judged(draws, options);
  EXPECT_DOUBLE_EQ(once.mean, 0.5);
  EXPECT_DOUBLE_EQ(once.error, error);
  EXPECT_NEAR(once.low, 0.5 - student_quantile(0.9, 3) * error, 1e-12);
  EXPECT_NEAR(once.high, 0.5 + student_quantile(0.9, 3) * error, 1e-12);
  EXPECT_NEAR(once.confidence, student_cdf(0.5 / error, 3), 1e-12);
  options.most_draws = 16;  // looks at 4, 8 and 16: a third of the errors each
  const Judgement first = judged(draws, options);
  EXPECT_NEAR(first.low, 0.5 - student_quantile(1 - 0.1 / 3, 3) * error, 1e-12);
  EXPECT_NEAR(first.confidence, 1 - 3 * (1 - student_cdf(0.5 / error, 3)), 1e-12);
}

// A verdict and its confidence say the same.
TEST(Verdict, IsReachedExactlyWithTheConfidenceAskedFor) {
  Rng rng(5);
  int decided = 0, undecided = 0;
  for (int i = 0; i < 2000; ++i) {
    Draws draws(4 + static_cast<std::size_t>(rng.below(20)));
    const double shift = rng.uniform(-1, 1);
    for (double& each : draws) each = shift + rng.normal();
    const VerdictOptions options{4, 32, rng.uniform(0.6, 0.99)};
    const Judgement now = judged(draws, options);
    EXPECT_EQ(now.verdict != Verdict::Undecided, now.confidence >= options.confidence);
    if (now.verdict != Verdict::Undecided) {
      EXPECT_EQ(now.verdict == Verdict::Legal, now.mean > 0);
    }
    ++(now.verdict == Verdict::Undecided ? undecided : decided);
  }
  EXPECT_GT(decided, 200);
  EXPECT_GT(undecided, 200);
}

TEST(Verdict, OfEqualScoresIsLegal) {
  for (const std::size_t count : {1u, 4u, 32u}) {
    const Judgement tie = judged(Draws(count, 0), {});
    EXPECT_EQ(tie.verdict, Verdict::Legal);
    EXPECT_EQ(tie.confidence, 1);
    EXPECT_EQ(tie.mean, 0);
  }
  EXPECT_EQ(verdict({0, 0, 0, -0.01}), Verdict::Undecided);
}

TEST(Verdict, OfOneDrawIsItsSignIfNoMoreMayFollow) {
  const VerdictOptions paper{1, 1, 0.95};
  EXPECT_EQ(verdict({0.001}, paper), Verdict::Legal);
  EXPECT_EQ(verdict({0}, paper), Verdict::Legal);
  EXPECT_EQ(verdict({-0.001}, paper), Verdict::Illegal);
  EXPECT_EQ(judged(Draws{-0.001}, paper).confidence, 0) << "one draw has no spread";
  const VerdictOptions more{1, 8, 0.95};
  EXPECT_EQ(verdict({5}, more), Verdict::Undecided);
  EXPECT_EQ(verdict({-5}, more), Verdict::Undecided);
}

TEST(Verdict, OfEqualDrawsNeedsNoSpread) {
  EXPECT_EQ(verdict({0.1, 0.1, 0.1, 0.1}), Verdict::Legal);
  EXPECT_EQ(verdict({-0.1, -0.1, -0.1, -0.1}), Verdict::Illegal);
}

TEST(Verdict, OfANetworkThatPassesNothingOnIsIllegal) {
  const Judgement dead = judged(Draws{0.5, -kInfinite, 0.5, 0.5}, {});
  EXPECT_EQ(dead.verdict, Verdict::Illegal);
  EXPECT_EQ(std::exp(dead.mean), 0);
  EXPECT_EQ(verdict({-kInfinite}, {1, 1, 0.95}), Verdict::Illegal);
}

// What a wrong verdict costs is told by the confidence: of candidates that lie a hair below the
// original, not more than 5 % are called legal, although there are four looks. A look that took
// 95 % each time would call more.
TEST(Verdict, IsRarelyWrongAtAllLooksTogether) {
  const VerdictOptions options;
  Rng rng(11);
  int wrong = 0, wrong_by_single_looks = 0;
  constexpr int kCandidates = 4000;
  for (int i = 0; i < kCandidates; ++i) {
    Draws draws;
    Verdict now = Verdict::Undecided, single = Verdict::Undecided;
    for (const int look : looks(options)) {
      while (static_cast<int>(draws.size()) < look) draws.push_back(rng.normal() - 1e-6);
      if (now == Verdict::Undecided) now = verdict(draws, options);
      if (single == Verdict::Undecided) {
        single = verdict(draws, {look, look, options.confidence});
      }
    }
    wrong += now == Verdict::Legal;
    wrong_by_single_looks += single == Verdict::Legal;
  }
  EXPECT_LT(wrong, kCandidates * 0.05);
  EXPECT_GT(wrong, kCandidates * 0.015) << "no more careful than it says";
  EXPECT_GT(wrong_by_single_looks, kCandidates * 0.07);
}

TEST(Verdict, IsFoundSoonerForLargerDifferences) {
  const auto draws_needed = [](double shift) {
    Rng rng(3);
    int needed = 0;
    for (int i = 0; i < 200; ++i) {
      Draws draws;
      for (const int look : looks({})) {
        while (static_cast<int>(draws.size()) < look) draws.push_back(shift + rng.normal());
        if (verdict(draws) != Verdict::Undecided) break;
      }
      needed += static_cast<int>(draws.size());
    }
    return needed / 200.0;
  };
  EXPECT_LT(draws_needed(5), 6);
  EXPECT_GT(draws_needed(0.1), 25);
}

}  // namespace
}  // namespace cambium::train
