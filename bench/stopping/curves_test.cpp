#include "stopping/curves.h"

#include <gtest/gtest.h>

namespace cambium::bench {
namespace {

std::vector<NamedCurve> recorded() {
  return {{"good", 1, "finished", {0.5, 0.7, 0.9}},
          {"bad", 2, "finished", {0.1, 0.2, 0.3}},
          {"late", 3, "finished", {0.2, 0.6, 0.89}},
          {"weak", 4, "finished", {0.5, 0.6, 0.6}}};
}

TEST(Curves, AreReadAsTheyWereWritten) {
  std::string lines;
  for (const NamedCurve& each : recorded()) lines += to_line(each);
  const auto read = curves_in(lines);
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  ASSERT_EQ(read->size(), 4u);
  EXPECT_EQ((*read)[2].name, "late");
  EXPECT_EQ((*read)[2].parameters, 3);
  EXPECT_EQ((*read)[2].ending, "finished");
  EXPECT_EQ((*read)[2].scores, (train::Curve{0.2, 0.6, 0.89}));
}

TEST(Curves, ThatEndedEarlyAreLeftOut) {
  std::string lines = to_line({"ruined", 1, "diverged", {0.1}});
  for (const NamedCurve& each : recorded()) lines += to_line(each);
  EXPECT_EQ(curves_in(lines)->size(), 4u);
}

TEST(Curves, AreRefusedWhenTheyAreNone) {
  for (const char* lines : {"", "{}", "{\"scores\":3}", "{\"scores\":[\"x\"]}",
                            "{\"scores\":[0.1,0.2]}", "{\"scores\":[0.1]}\n{\"scores\":[0.2]}"}) {
    const auto read = curves_in(lines);
    ASSERT_FALSE(read.ok()) << lines;
    EXPECT_EQ(read.rejection().reason(), Reason::BadRecord) << lines;
  }
  EXPECT_EQ(curves_in("{").rejection().reason(), Reason::BadSyntax);
}

TEST(Outcome, OfARuleThatDoesNotLearnIsTheSameInEveryOrder) {
  // After one epoch: "bad" and "late" fall, each with two epochs to go; "late" is among the best
  // half, which are "good" and "late".
  const auto outcome = outcome_of("milestones:1=0.3", recorded(), 0.5, 7, 1);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->rule, "milestones:1=0.3");
  EXPECT_NEAR(outcome->stopped, 0.5, 1e-12);
  EXPECT_NEAR(outcome->saved, 4.0 / 12, 1e-12);
  EXPECT_NEAR(outcome->good_lost, 0.5, 1e-12);
  EXPECT_NEAR(outcome->best_lost, 0, 1e-12);
}

TEST(Outcome, SaysWhatLosingTheBestCosts) {
  const auto outcome = outcome_of("milestones:2=0.65", recorded(), 0.25, 3, 1);
  EXPECT_NEAR(outcome->good_lost, 0, 1e-12);
  const auto strict = outcome_of("milestones:1=0.9", recorded(), 0.25, 3, 1);
  EXPECT_NEAR(strict->good_lost, 1, 1e-12);
  EXPECT_NEAR(strict->best_lost, 0.9, 1e-12) << "nothing survived";
}

TEST(Outcome, RefusesWhatIsNoRule) {
  EXPECT_EQ(outcome_of("curve:7", recorded(), 0.5, 1, 1).rejection().reason(), Reason::BadOption);
}

}  // namespace
}  // namespace cambium::bench
