#include "search/time_left.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::search {
namespace {

store::Evaluation job(const std::string& evaluator, double seconds) {
  store::Evaluation evaluation;
  evaluation.key.evaluator = evaluator;
  evaluation.key.fidelity = 2;
  evaluation.seconds = seconds;
  return evaluation;
}

TimeLeft::Planned planned(const std::string& evaluator, double jobs, int at_a_time = 1) {
  return {TimeLeft::kind_of(evaluator, 2), jobs, at_a_time};
}

double told(TimeLeft& left, double now, std::vector<TimeLeft::Planned> jobs) {
  return left.at(now, jobs);
}

// A search as they are: a latency of a second for each candidate, a training of a minute for one of
// eight, and now and then one that takes ten times as long. Waits for jobs one after the other.
TEST(TimeLeft, DoesNotJumpBetweenTwoJobs) {
  constexpr int kCandidates = 400;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Rng rng(seed);
    std::vector<store::Evaluation> jobs;
    std::vector<int> candidate;  // of each job
    for (int i = 0; i < kCandidates; ++i) {
      jobs.push_back(job("latency", rng.uniform(0.5, 1.5)));
      candidate.push_back(i);
      if (!rng.chance(0.125)) continue;
      jobs.push_back(job("accuracy", (rng.chance(0.05) ? 10 : 1) * rng.uniform(40, 80)));
      candidate.push_back(i);
    }
    TimeLeft left;
    left.note(job("latency", 1));  // of the original
    left.note(job("accuracy", 60));
    double now = 0, before = 0, trained = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      left.note(jobs[i]);
      now += jobs[i].seconds;
      trained += jobs[i].key.evaluator == "accuracy" ? 1 : 0;
      const double done = candidate[i] + 1, to_come = kCandidates - done;
      const double after = told(
          left, now,
          {planned("latency", to_come), planned("accuracy", to_come * (trained + 2) / (done + 2))});
      if (to_come == 0) break;
      if (before > 0) {
        constexpr double kRounding = 1e-9;
        ASSERT_LE(after, before * TimeLeft::kMostChange + kRounding) << "job " << i;
        ASSERT_GE(after, (before - jobs[i].seconds) / TimeLeft::kMostChange - kRounding)
            << "job " << i;
      }
      before = after;
      // It must not only be calm, but right.
      const double expected = to_come * (1 + 0.125 * 60 * (0.95 + 0.05 * 10));
      if (done < kCandidates / 4) continue;
      ASSERT_GT(after, expected / 2) << "job " << i;
      ASSERT_LT(after, expected * 2) << "job " << i;
    }
  }
}

TEST(TimeLeft, CountsDownWhileAJobRunsAndNotBelowWhatOneJobMayChange) {
  TimeLeft left;
  left.note(job("accuracy", 10));
  EXPECT_EQ(told(left, 100, {planned("accuracy", 10)}), 100);
  EXPECT_EQ(told(left, 105, {planned("accuracy", 10)}), 95);
  EXPECT_EQ(told(left, 1000, {planned("accuracy", 10)}), 100 / TimeLeft::kMostChange);
}

TEST(TimeLeft, KnowsHowManyRunAtATime) {
  TimeLeft left;
  left.note(job("accuracy", 10));
  left.note(job("latency", 1));
  EXPECT_EQ(told(left, 0, {planned("accuracy", 8, 4), planned("latency", 3)}), 23);
}

TEST(TimeLeft, SaysNothingBeforeItHasSeenAJobOfEveryKind) {
  TimeLeft left;
  EXPECT_EQ(told(left, 0, {planned("accuracy", 8)}), 0);
  left.note(job("latency", 1));
  store::Evaluation waits = job("accuracy", 5);
  waits.state = store::EvaluationState::Pending;
  left.note(waits);
  EXPECT_EQ(told(left, 1, {planned("accuracy", 8), planned("latency", 8)}), 0);
  left.note(job("accuracy", 5));
  EXPECT_EQ(told(left, 2, {planned("accuracy", 8), planned("latency", 8)}), 48);
  EXPECT_EQ(told(left, 3, {}), 0) << "all is done";
}

TEST(TimeLeft, BeginsAnewWithWhatItHasLearned) {
  TimeLeft left;
  left.note(job("accuracy", 10));
  EXPECT_EQ(told(left, 0, {planned("accuracy", 1)}), 10);
  left.restart();
  EXPECT_EQ(told(left, 1, {planned("accuracy", 50)}), 500);
}

}  // namespace
}  // namespace cambium::search
