#include "report/summary.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "report/report_testing.h"

namespace cambium::report {
namespace {

using study::Metric;

class SummaryOfStudy : public ::testing::Test {
 protected:
  Summary read(const std::optional<Fingerprint>& machine = {}) {
    auto summary = read_summary(study_, {machine, {}, sample_evaluators()});
    CAMBIUM_CHECK(summary.ok(), summary.rejection().message());
    return std::move(summary).value();
  }
  void value(const store::StudyCandidate& of, const std::string& metric, double value,
             double fidelity, std::uint64_t seed = 0, bool is_estimate = false) {
    auto evaluation = sample_.evaluation(of, metric, fidelity, seed);
    evaluation.values[metric] = {value, 0.01, 3, is_estimate};
    sample_.add(evaluation);
  }

  ScratchFolder folder_;
  store::StudyStore study_ = *store::StudyStore::open(folder_ / "study.db");
  SampleStudy sample_{study_, 1};
};

TEST_F(SummaryOfStudy, KeepsTheBestKnownOfEachMetric) {
  const auto one = sample_.candidate(0, "one");
  value(one, "accuracy", 0.9, 12);
  value(one, "accuracy", 0.7, 2);  // came later, but is known less well
  value(one, "latency", 2e-3, 64);
  value(one, "latency", 1e-3, 1000, 0, true);
  const Summary summary = read();
  const Entry& entry = summary.entries[0];
  EXPECT_EQ(entry.at(Metric::Accuracy)->value, 0.9);
  EXPECT_EQ(entry.at(Metric::Latency)->value, 2e-3) << "a measurement beats an estimate";
  EXPECT_FALSE(entry.at(Metric::Latency)->is_estimate);
  EXPECT_FALSE(entry.at(Metric::Macs).has_value());
}

TEST_F(SummaryOfStudy, SeedsOfOneFidelityAreAveraged) {
  const auto one = sample_.candidate(0, "one");
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    value(one, "accuracy", 0.90 + 0.01 * static_cast<double>(seed), 12, seed);
  const Summary summary = read();
  EXPECT_NEAR(summary.entries[0].at(Metric::Accuracy)->value, 0.91, 1e-12);
  EXPECT_EQ(summary.entries[0].at(Metric::Accuracy)->seeds, 3);
}

// Each training by itself has no spread: what differs are the seeds.
TEST_F(SummaryOfStudy, SeedsOfOneFidelitySpreadByTheirStandardDeviation) {
  const auto one = sample_.candidate(0, "one"), two = sample_.candidate(1, "two");
  std::uint64_t seed = 0;
  for (const double accuracy : {0.90, 0.93, 0.91, 0.90}) {
    auto training = sample_.evaluation(one, "accuracy", 12, seed++);
    training.values["accuracy"] = {accuracy, 0, 1, false};
    sample_.add(training);
  }
  value(two, "accuracy", 0.9, 12);
  const Summary summary = read();
  const study::Value& joined = *summary.entries[0].at(Metric::Accuracy);
  EXPECT_NEAR(joined.value, 0.91, 1e-12);
  EXPECT_NEAR(joined.spread * joined.value, std::sqrt(6e-4 / 3), 1e-12);
  EXPECT_EQ(summary.entries[1].at(Metric::Accuracy)->spread, 0.01) << "of one, its own";
}

TEST_F(SummaryOfStudy, LatenciesAreThoseOfOneMachine) {
  const auto one = sample_.candidate(0, "one"), two = sample_.candidate(1, "two");
  value(one, "latency", 2e-3, 16);
  value(two, "latency", 3e-3, 16);
  auto elsewhere = sample_.evaluation(one, "latency", 32);
  elsewhere.key.machine = fingerprint_of("another machine");
  elsewhere.values["latency"] = {9e-3, 0, 1, false};
  sample_.add(elsewhere);
  EXPECT_EQ(read().latency_machine, fingerprint_of("machine"));
  EXPECT_EQ(read().entries[0].at(Metric::Latency)->value, 2e-3);
  const Summary other = read(fingerprint_of("another machine"));
  EXPECT_EQ(other.entries[0].at(Metric::Latency)->value, 9e-3);
  EXPECT_FALSE(other.entries[1].at(Metric::Latency).has_value());
}

TEST_F(SummaryOfStudy, TheOriginalIsTheCandidateWithoutEdits) {
  sample_.candidate(0, "one");
  EXPECT_EQ(read().original, std::nullopt);
  sample_.candidate(-1, "the original");
  EXPECT_EQ(read().original, 1U);
}

TEST_F(SummaryOfStudy, TheFunnelCountsCandidatesNotEvaluations) {
  const auto one = sample_.candidate(0, "one"), two = sample_.candidate(1, "two"),
             three = sample_.candidate(2, "three");
  for (const auto& each : {one, two, three}) value(each, "cost", 1, 0);
  for (std::uint64_t seed = 0; seed < 3; ++seed) value(one, "accuracy", 0.9, 2, seed);
  auto refusal = sample_.evaluation(two, "accuracy", 2);
  refusal.state = store::EvaluationState::Refused;
  refusal.reason = "NotPromising";
  sample_.add(refusal);
  auto pending = sample_.evaluation(three, "latency");
  pending.state = store::EvaluationState::Pending;
  pending.values["latency"] = {1e-3, 0.3, 1, true};
  sample_.add(pending);

  const Summary summary = read();
  ASSERT_EQ(summary.funnel.size(), 3U);
  const Stage& cost = summary.stages[summary.funnel[0]];
  EXPECT_EQ(label_of(summary, cost), "cost");
  EXPECT_EQ(cost.entered(), 3);
  const Stage& accuracy = summary.stages[summary.funnel[1]];
  EXPECT_EQ(label_of(summary, accuracy), "accuracy, 2 epochs");
  EXPECT_EQ(accuracy.done, 1);
  EXPECT_EQ(accuracy.refused, 1);
  EXPECT_EQ(summary.stages[summary.funnel[2]].pending, 1);
  EXPECT_EQ(status_of(summary, 0), "accuracy, 2 epochs");
  EXPECT_EQ(status_of(summary, 1), "refused: NotPromising");
  EXPECT_EQ(status_of(summary, 2), "pending: latency");
  EXPECT_TRUE(summary.entries[2].at(Metric::Latency)->is_estimate);
  EXPECT_EQ(summary.evaluations, 8);
}

TEST_F(SummaryOfStudy, MoreStagesThanAreCountedApartAreCountedTogether) {
  const auto one = sample_.candidate(0, "one");
  for (int i = 0; i < 40; ++i) value(one, "accuracy", 0.5, 1 + i);
  const Summary summary = read();
  EXPECT_EQ(summary.stages.size(), 32U);
  EXPECT_EQ(label_of(summary, summary.stages.back()), "further stages");
  EXPECT_EQ(summary.entries[0].at(Metric::Accuracy)->fidelity, 40);
}

TEST_F(SummaryOfStudy, ProgressHoldsOnlyWhatWasBetterThanAllBefore) {
  const auto base = sample_.candidate(-1, "the original");
  value(base, "accuracy", 0.99, 2);
  std::int64_t ticket = 0;
  for (const double accuracy : {0.5, 0.4, 0.7, 0.7, 0.8})
    value(sample_.candidate(ticket++, "x"), "accuracy", accuracy, 2);
  const Summary summary = read();
  ASSERT_EQ(summary.progress.size(), 3U);
  EXPECT_EQ(summary.progress[1].value, 0.7);
  EXPECT_EQ(summary.progress[1].candidates, 4);
  EXPECT_EQ(summary.progress[2].seconds, 72);
}

TEST_F(SummaryOfStudy, WhatIsNoNumberIsNotKnown) {
  const auto one = sample_.candidate(0, "one");
  value(one, "accuracy", std::numeric_limits<double>::infinity(), 2);
  const Summary summary = read();
  EXPECT_FALSE(summary.entries[0].at(Metric::Accuracy).has_value());
  EXPECT_TRUE(summary.progress.empty());
  EXPECT_EQ(status_of(summary, 0), "accuracy, 2 epochs");
}

TEST_F(SummaryOfStudy, StagesStandInTheOrderInWhichCandidatesMeetThem) {
  for (std::int64_t ticket = 0; ticket < 4; ++ticket) {
    const auto one = sample_.candidate(ticket, "x");
    value(one, "cost", 1, 0);
    // Few come here, but early.
    if (ticket == 3) value(one, "proxy", 1, 0);
    value(one, "latency", 1e-3, 16);
    if (ticket > 1) value(one, "accuracy", 0.5, 2);
  }
  const Summary summary = read();
  std::vector<std::string> order;
  for (const std::size_t s : summary.funnel) order.push_back(summary.stages[s].evaluator);
  EXPECT_EQ(order, (std::vector<std::string>{"cost", "proxy", "latency", "accuracy"}));
}

TEST_F(SummaryOfStudy, LongTitlesAreCutBetweenCharacters) {
  std::string title(199, 'x');
  sample_.candidate(0, title + "äöü");
  EXPECT_EQ(read().entries[0].title, title + "…");
}

}  // namespace
}  // namespace cambium::report
