#include "report/values.h"

#include <limits>

#include <gtest/gtest.h>

namespace cambium::report {
namespace {

using study::Metric;

// Scripts find a metric by its number.
TEST(ReportValues, ShownMetricsStandAtTheirNumbers) {
  for (std::size_t i = 0; i < kShownMetrics.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kShownMetrics[i]), i);
  }
  EXPECT_FALSE(is_shown(Metric::Activations));
}

TEST(ReportValues, ValuesHaveUnitsThatFitThem) {
  EXPECT_EQ(page_text(Metric::Accuracy, 0.91234), "91.23 %");
  EXPECT_EQ(page_text(Metric::Latency, 2.414e-3), "2.41 ms");
  EXPECT_EQ(page_text(Metric::Latency, 4.2e-7), "420 ns");
  EXPECT_EQ(page_text(Metric::Latency, 1.5), "1.5 s");
  EXPECT_EQ(page_text(Metric::Macs, 41.2e6), "41.2 M");
  EXPECT_EQ(page_text(Metric::Memory, 3 * 1024 * 1024), "3.00 MiB");
  EXPECT_EQ(page_text(Metric::Memory, 1e300), "1e+300");
  EXPECT_EQ(page_text("test_accuracy", 0.9281), "92.81 %");
  EXPECT_EQ(page_text("native_memory", 2 * 1024 * 1024), "2.00 MiB");
  EXPECT_EQ(page_text("fisher", 1234.5), "1234.5");
  EXPECT_EQ(page_text(Metric::Accuracy, std::numeric_limits<double>::quiet_NaN()), "not a number");
}

TEST(ReportValues, SharesDifferByPointsAllElseByFactors) {
  EXPECT_EQ(against(Metric::Accuracy, 0.910, 0.914), "−0.40 points");
  EXPECT_EQ(against(Metric::Accuracy, 0.914, 0.914), "±0 points");
  EXPECT_EQ(against(Metric::Latency, 1e-3, 2e-3), "0.50×");
  EXPECT_EQ(against(Metric::Macs, 1, 0), "");
}

TEST(ReportValues, SpreadsAreWrittenAsDifferencesAre) {
  EXPECT_EQ(spread_text(Metric::Accuracy, 0.8, 0.0125), "±1.00 points");
  EXPECT_EQ(spread_text("test_accuracy", 0.8, 0.0125), "±1.00 points");
  EXPECT_EQ(spread_text(Metric::Latency, 2e-3, 0.012), "±1.2 %");
  EXPECT_EQ(spread_text(Metric::Latency, 2e-3, 0), "");
}

TEST(ReportValues, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(duration_text(0.01), "0.01 s");
  EXPECT_EQ(duration_text(41 * 60), "41 min");
  EXPECT_EQ(duration_text(3 * 3600 + 20 * 60), "3 h 20 min");
}

}  // namespace
}  // namespace cambium::report
