#include "study/record.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "store/study_testing.h"

namespace cambium::study {
namespace {

class RecordOfStudy : public ::testing::Test {
 protected:
  RecordOfStudy() : study_(store::opened_study(folder_ / "study")) {
    for (const std::uint64_t number : {1u, 2u}) {
      EXPECT_TRUE(study_.add(store::candidate_number(number)).ok());
    }
  }

  store::Evaluation evaluation(const std::string& evaluator, double value, double fidelity = 2,
                               std::uint64_t seed = 1, const std::string& version = "1") {
    store::Evaluation evaluation;
    evaluation.key = {candidate_, evaluator, version, "{}", fidelity, seed, {}};
    if (evaluator == "latency") evaluation.key.machine = fingerprint_of("here");
    evaluation.values[evaluator] = {value, 0.01, 1, false};
    return evaluation;
  }
  void add(store::Evaluation evaluation) { ASSERT_TRUE(study_.add(evaluation).ok()); }
  void refuse(store::Evaluation evaluation) {
    evaluation.state = store::EvaluationState::Refused;
    evaluation.reason = "NotPromising";
    add(evaluation);
  }

  Record record() {
    census_ = Census::of(study_).value();
    Record record;
    EXPECT_TRUE(study_
                    .each_evaluation([&](const store::Evaluation& each) {
                      if (each.key.candidate == candidate_) record.add(each, census_);
                      return true;
                    })
                    .ok());
    return record;
  }
  double known(Metric metric) { return record().scores().at(metric)->value; }
  bool has_passed(const std::vector<std::string>& evaluators) {
    const Record one = record();
    return one.has_passed({{}, evaluators, {}, {refusal_options("mine", "latency")}}, census_);
  }

  const Fingerprint candidate_ = store::candidate_number(1).identity;
  ScratchFolder folder_;
  store::StudyStore study_;
  Census census_;
};

TEST_F(RecordOfStudy, TakesTheHighestFidelityAndMeasurementsBeforeEstimates) {
  add(evaluation("accuracy", 0.9, 12));
  add(evaluation("accuracy", 0.7, 2));
  add(evaluation("latency", 2e-3, 0));
  store::Evaluation guess = evaluation("latency", 1e-3, 64);
  guess.key.machine = {};
  guess.state = store::EvaluationState::Pending;
  guess.values["latency"].is_estimate = true;
  add(guess);
  EXPECT_EQ(known(Metric::Accuracy), 0.9);
  EXPECT_EQ(record().scores().at(Metric::Accuracy)->fidelity, 12);
  EXPECT_EQ(known(Metric::Latency), 2e-3);
}

TEST_F(RecordOfStudy, JoinsSeedsOfOneVersionOnly) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    add(evaluation("accuracy", 0.9 + 0.01 * static_cast<double>(seed), 12, seed));
  }
  add(evaluation("accuracy", 0.1, 12, 1, "0"));
  const Value value = *record().scores().at(Metric::Accuracy);
  EXPECT_NEAR(value.value, 0.92, 1e-12);
  EXPECT_NEAR(value.spread * value.value, 0.01, 1e-12);
  EXPECT_EQ(value.seeds, 3);
}

TEST_F(RecordOfStudy, TakesTimesOfTheMachineThatMeasuredMost) {
  add(evaluation("latency", 2e-3));
  store::Evaluation elsewhere = evaluation("latency", 1e-3, 99);
  elsewhere.key.machine = fingerprint_of("there");
  add(elsewhere);
  store::Evaluation other = evaluation("latency", 5e-3);
  other.key.candidate = store::candidate_number(2).identity;
  add(other);
  EXPECT_EQ(known(Metric::Latency), 2e-3);
  EXPECT_EQ(Census::of(study_, fingerprint_of("there"))->machine(), fingerprint_of("there"));
}

TEST_F(RecordOfStudy, DoesNotKnowAValueThatIsNotFinite) {
  add(evaluation("accuracy", std::numeric_limits<double>::infinity(), 12));
  EXPECT_FALSE(record().scores().at(Metric::Accuracy));
}

TEST_F(RecordOfStudy, HasPassedWhatAnsweredOrWaits) {
  EXPECT_TRUE(has_passed({}));
  EXPECT_FALSE(has_passed({"accuracy"}));
  store::Evaluation waiting = evaluation("accuracy", 0, 2, 1, "");
  waiting.state = store::EvaluationState::Pending;
  waiting.values.clear();
  add(waiting);
  EXPECT_TRUE(has_passed({"accuracy"}));
  refuse(evaluation("accuracy", 0.5));
  EXPECT_FALSE(has_passed({"accuracy"}));
  EXPECT_TRUE(has_passed({})) << "nobody asked for accuracies";
  EXPECT_FALSE(record().scores().at(Metric::Accuracy)) << "a refused training has no accuracy";
  add(evaluation("accuracy", 0.9, 12));
  EXPECT_TRUE(has_passed({"accuracy"})) << "another training counts";
}

// It may have all values: a probe is refused after its last one.
TEST_F(RecordOfStudy, HasNotPassedWhatTheFunnelOfTheSearchRefused) {
  const auto refused_by = [&](const char* search) {
    store::Evaluation funnel = evaluation(kFunnelEvaluator, 0);
    funnel.key.options = refusal_options(search, "latency");
    funnel.values.clear();
    refuse(funnel);
  };
  add(evaluation("latency", 2e-3));
  refused_by("another");
  EXPECT_TRUE(has_passed({"latency"})) << "another search has other limits";
  refused_by("mine");
  EXPECT_FALSE(has_passed({"latency"}));
}

TEST(FrontObjectives, AreThoseOfExploringUntilSomeCandidateHasTheOthers) {
  const Goals goals{{Metric::Accuracy, Metric::Latency}, {}, {Metric::FisherChange}};
  Scores untrained, trained;
  untrained.set(Metric::FisherChange, {0.1});
  trained.set(Metric::Accuracy, {0.9});
  trained.set(Metric::Latency, {1});
  std::vector<const Scores*> all = {&untrained, nullptr};
  EXPECT_EQ(front_objectives(goals, all), goals.exploring);
  EXPECT_EQ(front_objectives({goals.objectives, {}}, all), goals.objectives);
  all.push_back(&trained);
  EXPECT_EQ(front_objectives(goals, all), goals.objectives);
}

TEST(Original, IsTheCandidateWithoutEdits) {
  store::StudyCandidate candidate = store::candidate_number(1);
  EXPECT_FALSE(is_original(candidate));
  candidate.document = R"({"base": "00", "edits": []})";
  EXPECT_TRUE(is_original(candidate));
  candidate.document = "not JSON";
  EXPECT_FALSE(is_original(candidate));
}

TEST(Id, IsTheBeginningOfTheFingerprint) {
  const Fingerprint candidate = fingerprint_of("one");
  EXPECT_TRUE(candidate.text().starts_with(long_id(candidate)));
  EXPECT_TRUE(long_id(candidate).starts_with(short_id(candidate)));
  EXPECT_EQ(short_id(candidate).size(), 8u);
}

}  // namespace
}  // namespace cambium::study
