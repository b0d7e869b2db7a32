#include "study/ways.h"

#include <gtest/gtest.h>

namespace cambium::study {
namespace {

using store::Evaluation;
using store::EvaluationState;

const Fingerprint kHere = fingerprint_of("here"), kThere = fingerprint_of("there");

Evaluation answer(double value, Fingerprint machine, std::uint64_t seed = 1,
                  const std::string& version = "1") {
  Evaluation evaluation;
  evaluation.key.version = version;
  evaluation.key.machine = machine;
  evaluation.key.seed = seed;
  evaluation.values["latency"] = {value, 0, 1, false};
  return evaluation;
}

Evaluation waiting(std::uint64_t seed, double estimate = 0) {
  Evaluation evaluation = answer(estimate, {}, seed, "");
  evaluation.state = EvaluationState::Pending;
  if (estimate == 0) evaluation.values.clear();
  return evaluation;
}

std::vector<double> values(const std::vector<Evaluation>& evaluations) {
  std::vector<double> all;
  for (const Evaluation& each : evaluations) {
    all.push_back(each.values.empty() ? 0 : each.values.at("latency").value);
  }
  return all;
}

TEST(Ways, OwnAnswersCountBeforeThoseOfOthers) {
  Ways ways(Way{"1", kHere});
  for (int i = 0; i < 5; ++i) ways.count(answer(1, kThere));
  EXPECT_EQ(values(ways.chosen({answer(3.37, kThere), answer(7.84, kHere)})),
            (std::vector<double>{7.84}));
  EXPECT_EQ(values(ways.chosen({answer(3.37, kThere)})), (std::vector<double>{3.37}));
  EXPECT_EQ(values(ways.chosen({answer(1, kHere, 1, "0"), answer(2, kHere)})),
            (std::vector<double>{2}))
      << "another version is another way";
}

TEST(Ways, WithoutOwnOnesThoseCountThatAnsweredMostWhateverComesFirst) {
  Ways ways;
  ways.count(answer(1, kHere));
  for (int i = 0; i < 2; ++i) ways.count(answer(1, kThere));
  for (const auto& order : {std::vector{answer(3.37, kThere), answer(7.84, kHere)},
                            std::vector{answer(7.84, kHere), answer(3.37, kThere)}}) {
    EXPECT_EQ(values(ways.chosen(order)), (std::vector<double>{3.37}));
  }
}

TEST(Ways, SeedsOfOneWayCountTogether) {
  const Ways ways(Way{"1", kHere});
  EXPECT_EQ(values(ways.chosen({answer(1, kHere, 1), answer(9, kThere, 1), answer(2, kHere, 2)})),
            (std::vector<double>{1, 2}));
}

TEST(Ways, ARefusalOfAnotherWayExcludesNobody) {
  const Ways ways(Way{"2", kHere});
  Evaluation refused = answer(0, kHere, 1, "1");
  refused.state = EvaluationState::Refused;
  const auto chosen = ways.chosen({refused, answer(2, kHere, 1, "2")});
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0].state, EvaluationState::Done);
}

TEST(Ways, WhatWaitsCountsOnlyWhereNothingIsKnown) {
  const Ways ways(Way{"1", kHere});
  EXPECT_EQ(values(ways.chosen({waiting(1, 5), answer(3, kThere), waiting(2, 5)})),
            (std::vector<double>{3}));
  EXPECT_EQ(values(ways.chosen({waiting(2), waiting(1), waiting(1, 5)})),
            (std::vector<double>{5, 0}))
      << "once for each seed";
}

}  // namespace
}  // namespace cambium::study
