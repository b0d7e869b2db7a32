#include "study/limit.h"

#include <gtest/gtest.h>

namespace cambium::study {
namespace {

Scores original_of(std::optional<double> accuracy, double latency,
                   std::optional<double> macs = {}) {
  Scores scores;
  if (accuracy) scores.set(Metric::Accuracy, {*accuracy});
  scores.set(Metric::Latency, {latency});
  if (macs) scores.set(Metric::Macs, {*macs});
  return scores;
}

TEST(Limit, IsAbsoluteOrAShareOfTheOriginal) {
  const Scores original = original_of(0.9, 0.010, 4e9);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Macs, "0.5x", original)->bound, 2e9);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Macs, "2e9", original)->bound, 2e9);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Macs, "1.5 G", original)->bound, 1.5e9);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Latency, "3ms", original)->bound, 0.003);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Latency, "3 s", original)->bound, 3);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Memory, "2MiB", original)->bound, 2097152);
  EXPECT_DOUBLE_EQ(limit_of(Metric::Accuracy, "92%", original)->bound, 0.92);
  EXPECT_DOUBLE_EQ(accuracy_drop("1%", original)->bound, 0.89);
  EXPECT_DOUBLE_EQ(accuracy_drop("0.02", original)->bound, 0.88);
}

TEST(Limit, HoldsOnTheRightSide) {
  EXPECT_TRUE((Limit{Metric::Accuracy, 0.9}).holds(0.95));
  EXPECT_FALSE((Limit{Metric::Accuracy, 0.9}).holds(0.85));
  EXPECT_TRUE((Limit{Metric::Macs, 100}).holds(100));
  EXPECT_FALSE((Limit{Metric::Macs, 100}).holds(101));
}

TEST(Limit, RefusesWhatCannotBeRead) {
  const Scores original = original_of(0.9, 0.010);
  for (const char* text : {"", "x", "3 parsecs", "-1", "3GB", "ms"}) {
    EXPECT_EQ(limit_of(Metric::Latency, text, original).rejection().reason(), Reason::BadOption)
        << text;
  }
  EXPECT_EQ(limit_of(Metric::Macs, "0.5x", original).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(accuracy_drop("little", original).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(accuracy_drop("1%", Scores{}).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(
      limit_of(Metric::Latency, "3 parsecs", original).rejection().message(),
      "'3 parsecs' as a limit of latency: expected a positive number, alone or with one of: x, ms, "
      "us, ns, s");
}

}  // namespace
}  // namespace cambium::study
