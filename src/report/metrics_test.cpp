#include "report/metrics.h"

#include <limits>

#include <gtest/gtest.h>

namespace cambium::report {
namespace {

TEST(ReportMetrics, AreNamedAsStudiesNameThem) {
  for (const Metric metric : kAllMetrics) EXPECT_EQ(metric_named(info_of(metric).name), metric);
  EXPECT_EQ(metric_named("fisher"), std::nullopt);
  EXPECT_TRUE(better(Metric::Accuracy, 0.9, 0.8));
  EXPECT_TRUE(better(Metric::Perplexity, 3, 4));
  EXPECT_FALSE(better(Metric::Latency, 1e-3, 1e-3));
}

TEST(ReportMetrics, ValuesHaveUnitsThatFitThem) {
  EXPECT_EQ(text_of(Metric::Accuracy, 0.91234), "91.23 %");
  EXPECT_EQ(text_of(Metric::Latency, 2.414e-3), "2.41 ms");
  EXPECT_EQ(text_of(Metric::Latency, 4.2e-7), "420 ns");
  EXPECT_EQ(text_of(Metric::Latency, 1.5), "1.5 s");
  EXPECT_EQ(text_of(Metric::Macs, 41.2e6), "41.2 M");
  EXPECT_EQ(text_of(Metric::Memory, 3 * 1024 * 1024), "3.00 MiB");
  EXPECT_EQ(text_of(Metric::Memory, 1e300), "1e+300");
  EXPECT_EQ(text_of("test_accuracy", 0.9281), "92.81 %");
  EXPECT_EQ(text_of("native_memory", 2 * 1024 * 1024), "2.00 MiB");
  EXPECT_EQ(text_of("fisher", 1234.5), "1234.5");
  EXPECT_EQ(text_of(Metric::Accuracy, std::numeric_limits<double>::quiet_NaN()), "not a number");
}

TEST(ReportMetrics, SharesDifferByPointsAllElseByFactors) {
  EXPECT_EQ(against(Metric::Accuracy, 0.910, 0.914), "−0.40 points");
  EXPECT_EQ(against(Metric::Accuracy, 0.914, 0.914), "±0 points");
  EXPECT_EQ(against(Metric::Latency, 1e-3, 2e-3), "0.50×");
  EXPECT_EQ(against(Metric::Macs, 1, 0), "");
}

TEST(ReportMetrics, SpreadsAreWrittenAsDifferencesAre) {
  EXPECT_EQ(spread_text(Metric::Accuracy, 0.8, 0.0125), "±1.00 points");
  EXPECT_EQ(spread_text("test_accuracy", 0.8, 0.0125), "±1.00 points");
  EXPECT_EQ(spread_text(Metric::Latency, 2e-3, 0.012), "±1.2 %");
  EXPECT_EQ(spread_text(Metric::Latency, 2e-3, 0), "");
}

TEST(ReportMetrics, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(duration_text(0.01), "0.01 s");
  EXPECT_EQ(duration_text(41 * 60), "41 min");
  EXPECT_EQ(duration_text(3 * 3600 + 20 * 60), "3 h 20 min");
}

}  // namespace
}  // namespace cambium::report
