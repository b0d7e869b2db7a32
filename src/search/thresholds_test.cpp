#include "search/thresholds.h"

#include <limits>

#include <gtest/gtest.h>

namespace cambium::search {
namespace {

Stage gated(const Gate& gate) {
  Stage stage;
  stage.gates = {gate};
  return stage;
}

bool is_open(const Gate& gate, double own, double original) {
  return !closed_gate(gated(gate), {{gate.value, own}}, {{gate.value, original}});
}

TEST(Thresholds, ALimitIsBrokenByMeasurementsOnly) {
  const std::vector<study::Limit> limits = {{study::Metric::Macs, 10}, {study::Metric::Latency, 2}};
  study::Scores scores;
  EXPECT_FALSE(broken_limit(limits, scores)) << "what is not known breaks nothing";
  scores.set(study::Metric::Latency, {3, 0, true});
  EXPECT_FALSE(broken_limit(limits, scores)) << "an estimate";
  scores.set(study::Metric::Latency, {3, 0, false});
  EXPECT_EQ(broken_limit(limits, scores)->reason(), Reason::OverBudget);
  EXPECT_NE(broken_limit(limits, scores)->message().find("latency"), std::string::npos);
  scores.set(study::Metric::Macs, {11});
  EXPECT_NE(broken_limit(limits, scores)->message().find("macs"), std::string::npos)
      << "the first limit";
  scores.set(study::Metric::Macs, {10});
  scores.set(study::Metric::Latency, {2});
  EXPECT_FALSE(broken_limit(limits, scores));
}

TEST(Thresholds, ARelativeGateIsAShareOfTheOriginal) {
  const Gate gate{"fisher", 0.5, 2, true};
  EXPECT_TRUE(is_open(gate, 2, 4));
  EXPECT_TRUE(is_open(gate, 8, 4));
  EXPECT_FALSE(is_open(gate, 1.9, 4));
  EXPECT_FALSE(is_open(gate, 8.1, 4));
  EXPECT_TRUE(is_open(gate, 0, 0)) << "a share of 0 says nothing";
}

TEST(Thresholds, ARelativeGateOfANegativeScoreLeavesTheSameMargin) {
  const Gate gate{"jacobian", 0.5, std::numeric_limits<double>::infinity(), true};
  EXPECT_TRUE(is_open(gate, -60, -40));
  EXPECT_FALSE(is_open(gate, -61, -40));
}

TEST(Thresholds, AnAbsoluteGateNeedsNoOriginal) {
  const Gate gate{"legal", 0, std::numeric_limits<double>::infinity(), false};
  const Stage stage = gated(gate);
  EXPECT_FALSE(closed_gate(stage, {{"legal", 0}}, {}));
  EXPECT_FALSE(closed_gate(stage, {{"legal", 1}}, {}));
  EXPECT_EQ(closed_gate(stage, {{"legal", -1}}, {})->reason(), Reason::NotPromising);
  EXPECT_FALSE(closed_gate(stage, {}, {})) << "what is not known closes nothing";
  EXPECT_FALSE(closed_gate(gated({"fisher", 0.5, 2, true}), {{"fisher", 0.1}}, {}))
      << "nor what has no reference";
}

}  // namespace
}  // namespace cambium::search
