#include "engine/search/studies.h"

#include <gtest/gtest.h>

#include "engine/search/evaluator.h"
#include "engine/search/setup.h"
#include "spaces/candidate.h"
#include "store/study_testing.h"

namespace cambium::engine {
namespace {

// A study of candidates by name, of which the one without a name is the original.
class Studies : public ::testing::Test {
 protected:
  Studies() : study_(store::opened_study(file_)) {
    setup_.limits = {{study::Metric::Accuracy, "1%", true}};
    store::StudyHead head = store::study_head();
    head.options = to_json(setup_);
    EXPECT_TRUE(study_.set_head(head).ok());
  }

  Fingerprint add(const std::string& name, const std::string& strategy, std::int64_t ticket) {
    spaces::Candidate candidate{store::study_head().base, {}, std::nullopt};
    if (!name.empty()) candidate.edits = {{"coordinate", {"conv"}, name}};
    store::StudyCandidate row;
    row.identity = spaces::identity_of(candidate);
    row.document = spaces::to_json(candidate);
    row.strategy = strategy;
    row.ticket = ticket;
    row.title = name.empty() ? "the original" : name;
    EXPECT_TRUE(study_.add(row).ok());
    return row.identity;
  }

  void train(Fingerprint candidate, double accuracy, std::uint64_t seed = 1) {
    store::Evaluation evaluation;
    evaluation.key = {candidate, "accuracy", "3", "{}", 10, seed, {}};
    evaluation.values["accuracy"] = {accuracy, 0, 1, false};
    ASSERT_TRUE(study_.add(evaluation, {{kTrainedModel, {std::byte{1}}}}).ok());
  }

  void time(Fingerprint candidate, double seconds, const char* machine = "here",
            bool is_estimate = false) {
    store::Evaluation evaluation;
    evaluation.key = {candidate, "latency", "1", "{}", 64, 1, fingerprint_of(machine)};
    if (is_estimate) {
      evaluation.key.machine = {};
      evaluation.state = store::EvaluationState::Pending;
    }
    evaluation.values["latency"] = {seconds, 0, 1, is_estimate};
    ASSERT_TRUE(study_.add(evaluation).ok());
  }

  std::vector<std::string> listed() {
    const auto list = list_study(file_);
    EXPECT_TRUE(list.ok());
    std::vector<std::string> titles;
    for (const StudyRow& row : list->rows) titles.push_back(row.title);
    return titles;
  }
  std::string best() {
    const auto identity = best_of_study(file_);
    if (!identity.ok()) return std::string(name_of(identity.rejection().reason()));
    return study_.candidate_named(*identity)->title;
  }

  SearchSetup setup_;
  ScratchFolder folder_;
  const std::string file_ = folder_ / "study";
  store::StudyStore study_;
};

TEST_F(Studies, WhatWasGivenIsNoOriginal) {
  const Fingerprint original = add("", "original", -1);
  const Fingerprint given = add("given", "given", -1), found = add("found", "random", 0);
  train(original, 0.90);
  train(given, 0.80);
  train(found, 0.85);
  time(original, 4);
  time(given, 1);
  time(found, 2);
  EXPECT_EQ(listed(), (std::vector<std::string>{"the original", "found", "given"}));
  EXPECT_EQ(best(), "NoSuchCandidate") << "both lose more than one percent";
  train(given, 1.0, 2);  // the mean is now 0.9
  EXPECT_EQ(best(), "given");
}

TEST_F(Studies, AreJudgedByTheMeanOverSeeds) {
  const Fingerprint original = add("", "original", -1), lucky = add("lucky", "random", 0);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    train(original, 0.90, seed);
    train(lucky, seed == 1 ? 0.91 : 0.80, seed);
  }
  time(original, 4);
  time(lucky, 1);
  const auto list = list_study(file_);
  ASSERT_TRUE(list.ok());
  ASSERT_EQ(list->rows.size(), 2u);
  EXPECT_NEAR(list->rows[1].scores.at(study::Metric::Accuracy)->value, 2.51 / 3, 1e-12);
  EXPECT_EQ(best(), "NoSuchCandidate");
}

TEST_F(Studies, TakeTimesOfOneMachine) {
  const Fingerprint original = add("", "original", -1);
  const Fingerprint slow = add("slow", "random", 0), fast = add("fast", "random", 1);
  for (const Fingerprint each : {original, slow, fast}) train(each, 0.90);
  // Another machine is ten times as fast, and has seen `slow` alone.
  time(slow, 0.2, "there");
  time(original, 4);
  time(slow, 2);
  time(fast, 1);
  EXPECT_EQ(best(), "fast");
  EXPECT_EQ(list_study(file_)->rows[1].title, "fast");
}

TEST_F(Studies, TakeWhatWasMeasuredBeforeEstimates) {
  const Fingerprint original = add("", "original", -1);
  const Fingerprint guessed = add("guessed", "random", 0), timed = add("timed", "random", 1);
  for (const Fingerprint each : {original, guessed, timed}) train(each, 0.90);
  time(original, 4);
  time(guessed, 0.01, "here", true);
  time(timed, 1);
  EXPECT_EQ(best(), "timed");
}

}  // namespace
}  // namespace cambium::engine
