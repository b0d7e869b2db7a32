#include "search/known.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/fingerprint.h"
#include "search/passage.h"
#include "search/testing/fake_executor.h"
#include "search/testing/toy_search.h"
#include "store/study_testing.h"
#include "study/record.h"

namespace cambium::search {
namespace {

Fingerprint named(const char* name) {
  return fingerprint_of(std::string_view(name));
}

study::Scores scored(double accuracy, double latency) {
  study::Scores scores;
  scores.set(study::Metric::Accuracy, {accuracy});
  scores.set(study::Metric::Latency, {latency});
  return scores;
}

TEST(Known, SendsWhatHoldsTheLimitsToTheFinalsBeforeTheRest) {
  const std::vector<study::Metric> objectives = {study::Metric::Accuracy, study::Metric::Latency};
  Known known({}, objectives);
  const Fingerprint original = named("original"), good = named("good"), fast = named("fast"),
                    slower = named("slower");
  known.add(original, scored(0.91, 2.0));
  known.add(good, scored(0.90, 1.0));
  known.add(fast, scored(0.50, 0.1));    // on the front, and useless
  known.add(slower, scored(0.85, 1.2));  // beaten by `good`
  const std::vector<study::Limit> limits = {{study::Metric::Accuracy, 0.8}};
  const auto names = [&](std::size_t most, const std::vector<study::Limit>& held) {
    std::vector<Fingerprint> out;
    for (const Known::Entry& entry : known.finalists(most, original, scored(0.91, 2.0), {}, held)) {
      out.push_back(entry.identity);
    }
    return out;
  };
  EXPECT_EQ(names(2, limits), (std::vector{good, slower}));
  EXPECT_EQ(names(9, limits), (std::vector{good, slower, fast}));
  EXPECT_EQ(names(2, {}), (std::vector{good, fast}));
}

// After two epochs the fastest was as good as any.
TEST(Known, SpreadsTheFinalsOverTheFrontOfWhatEarnsMoreThanTheOriginal) {
  const std::vector<study::Metric> objectives = {study::Metric::Accuracy, study::Metric::Latency};
  Known known({}, objectives);
  const Fingerprint original = named("original");
  const study::Scores reference = scored(0.60, 2.0);
  known.add(original, reference);
  std::vector<Fingerprint> by_latency;
  for (int i = 0; i < 7; ++i) {
    by_latency.push_back(named(std::to_string(i).c_str()));
    known.add(by_latency.back(), scored(0.61 + 0.01 * i, 0.1 + 0.2 * i));
  }
  known.add(named("slower than the original"), scored(0.99, 3.0));
  RewardOptions reward;
  reward.kind = RewardOptions::Kind::Ratio;
  const auto places = [&](std::size_t most) {
    std::vector<std::ptrdiff_t> out;
    for (const Known::Entry& entry : known.finalists(most, original, reference, reward, {})) {
      const auto found = std::find(by_latency.begin(), by_latency.end(), entry.identity);
      out.push_back(found - by_latency.begin());
    }
    return out;
  };
  EXPECT_EQ(places(1), (std::vector<std::ptrdiff_t>{0}));
  EXPECT_EQ(places(2), (std::vector<std::ptrdiff_t>{0, 6}));
  EXPECT_EQ(places(4), (std::vector<std::ptrdiff_t>{0, 2, 4, 6}));
  EXPECT_EQ(places(6), (std::vector<std::ptrdiff_t>{0, 1, 2, 3, 4, 6}));
  EXPECT_EQ(places(8), (std::vector<std::ptrdiff_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// ---- what a study holds

class KnownOfStudy : public ::testing::Test {
 protected:
  KnownOfStudy() : study_(store::opened_study(folder_ / "study")) {
    EXPECT_TRUE(study_.add(store::candidate_number(1)).ok());
  }

  void add(const std::string& evaluator, const std::string& version, Fingerprint machine,
           double value, bool is_refused = false) {
    store::Evaluation evaluation;
    evaluation.key = {candidate_, evaluator, version, "{}", 0, evaluator == "cost" ? 0u : 1u,
                      machine};
    evaluation.values[evaluator == "cost" ? "macs" : evaluator] = {value, 0, 1, false};
    if (is_refused) {
      evaluation.state = store::EvaluationState::Refused;
      evaluation.reason = "NotPromising";
      evaluation.values.clear();
    }
    ASSERT_TRUE(study_.add(evaluation).ok());
  }

  // Under one stage, latency, by an executor that is `version` on its own machine.
  std::optional<study::Scores> known() {
    const std::vector<Stage> stages = {testing::toy_stage("latency", 0)};
    const std::vector<study::Metric> objectives = {study::Metric::Macs, study::Metric::Latency};
    Known known(stages, objectives);
    EXPECT_TRUE(known.load(study_, executor_).ok());
    const study::Scores* scores = known.find(candidate_);
    return scores == nullptr ? std::nullopt : std::optional(*scores);
  }

  const Fingerprint candidate_ = store::candidate_number(1).identity;
  const Fingerprint here_ = fingerprint_of("fake machine"), there_ = fingerprint_of("there");
  ScratchFolder folder_;
  store::StudyStore study_;
  testing::FakeExecutor executor_;
};

TEST_F(KnownOfStudy, TakesTheTimeOfItsOwnMachineAndNoMeanOfTwo) {
  add("cost", kCostVersion, {}, 100);
  add("latency", "fake 1", there_, 3.37);
  EXPECT_EQ(known()->at(study::Metric::Latency)->value, 3.37) << "where there is no other";
  add("latency", "fake 1", here_, 7.84);
  // The other machine has measured more.
  for (const std::uint64_t other : {2u, 3u}) {
    ASSERT_TRUE(study_.add(store::candidate_number(other)).ok());
    store::Evaluation more;
    more.key = {store::candidate_number(other).identity, "latency", "fake 1", "{}", 0, 1, there_};
    more.values["latency"] = {1, 0, 1, false};
    ASSERT_TRUE(study_.add(more).ok());
  }
  EXPECT_EQ(known()->at(study::Metric::Latency)->value, 7.84);
  // Where there is none of its own, that one counts.
  executor_.absent = {"latency"};
  EXPECT_EQ(known()->at(study::Metric::Latency)->value, 3.37);
}

TEST_F(KnownOfStudy, IsNotExcludedByARefusalOfAnotherVersion) {
  add("cost", kCostVersion, {}, 100);
  add("latency", "fake 0", here_, 0, true);
  EXPECT_FALSE(known());
  add("latency", "fake 1", here_, 2);
  EXPECT_TRUE(known());
}

TEST_F(KnownOfStudy, TakesTheCostOfThisVersionWhateverCameLast) {
  add("latency", "fake 1", here_, 2);
  add("cost", kCostVersion, {}, 100);
  add("cost", "3", {}, 70);
  EXPECT_EQ(known()->at(study::Metric::Macs)->value, 100);
}

// A probe has all its values and is refused all the same.
TEST_F(KnownOfStudy, LeavesOutWhatAThresholdRefusesButForOthersThresholds) {
  add("cost", kCostVersion, {}, 100);
  add("latency", "fake 1", here_, 2);
  const auto found = [&](const Yardstick& yardstick, const std::set<Fingerprint>& exempt) {
    std::vector<Stage> stages = {testing::toy_stage("latency", 0)};
    stages[0].gates = {{"latency", 0, 1.5, true}};
    const std::vector<study::Metric> objectives = {study::Metric::Macs, study::Metric::Latency};
    Known known(stages, objectives);
    EXPECT_TRUE(known.load(study_, executor_, yardstick, exempt).ok());
    return known.find(candidate_) != nullptr;
  };
  const std::vector<StageValues> slow = {{{"latency", 1.0}}}, fast = {{{"latency", 1.9}}};
  const Yardstick tight = {{{study::Metric::Macs, 99}}, nullptr};
  EXPECT_TRUE(found(tight, {})) << "no search has refused it";
  store::Evaluation refusal;
  refusal.key = {
      candidate_, study::kFunnelEvaluator, "1", study::refusal_options("search", "latency"), 1, 0,
      {}};
  refusal.state = store::EvaluationState::Refused;
  refusal.reason = "OverBudget";
  ASSERT_TRUE(study_.add(refusal).ok());
  EXPECT_FALSE(found(tight, {}));
  EXPECT_TRUE(found(tight, {candidate_})) << "a candidate of the user";
  EXPECT_TRUE(found({{{study::Metric::Macs, 100}}, &fast}, {}))
      << "it keeps the limits of this one";
  EXPECT_FALSE(found({{{study::Metric::Macs, 100}}, &slow}, {})) << "a gate";
  EXPECT_FALSE(found({{{study::Metric::Latency, 1.9}}, &fast}, {})) << "a limit of a later stage";
}

TEST(Known, HoldsNoEstimateAgainstAMeasurement) {
  const std::vector<study::Metric> objectives = {study::Metric::Accuracy, study::Metric::Latency};
  Known known({}, objectives);
  study::Scores estimated = scored(0.95, 0.001);
  estimated.set(study::Metric::Latency, {0.001, 0, true});
  known.add(named("measured"), scored(0.9, 2));
  known.add(named("estimated"), estimated);
  EXPECT_EQ(known.front().size(), 2u);
  known.add(named("better"), scored(0.95, 1));
  EXPECT_EQ(known.front().size(), 2u) << "it beats the one that was measured";
}

}  // namespace
}  // namespace cambium::search
