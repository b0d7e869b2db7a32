#include "study/metric.h"

#include <gtest/gtest.h>

namespace cambium::study {
namespace {

TEST(Metric, IsFoundByItsName) {
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    EXPECT_EQ(kAllMetrics[i], metric);
    EXPECT_EQ(metric_named(name_of(metric)), metric);
  }
  EXPECT_EQ(metric_named("flops"), std::nullopt);
}

TEST(Metric, HasADirection) {
  EXPECT_TRUE(is_better(Metric::Accuracy, 0.9, 0.8));
  EXPECT_TRUE(is_better(Metric::Perplexity, 3, 4));
  EXPECT_FALSE(is_better(Metric::Latency, 1e-3, 1e-3));
}

TEST(Metric, HasAUnitAsOtherValuesOfStudiesHave) {
  EXPECT_EQ(unit_of("latency"), Unit::Seconds);
  EXPECT_EQ(unit_of("test_accuracy"), Unit::Share);
  EXPECT_EQ(unit_of("native_memory"), Unit::Bytes);
  EXPECT_EQ(unit_of("kernel_sum"), Unit::Seconds);
  EXPECT_EQ(unit_of("fisher"), Unit::Plain);
  EXPECT_EQ(name_of(Unit::Share), "share");
}

TEST(Metric, ReadsLikeAPersonWritesIt) {
  EXPECT_EQ(text_of(Metric::Accuracy, 0.931), "93.10 %");
  EXPECT_EQ(text_of(Metric::Latency, 0.00241), "2.41 ms");
  EXPECT_EQ(text_of(Metric::Latency, 2), "2.00 s");
  EXPECT_EQ(text_of(Metric::Latency, 12e-6), "12.00 us");
  EXPECT_EQ(text_of(Metric::Macs, 1.2e9), "1.20 G");
  EXPECT_EQ(text_of(Metric::Memory, 2048), "2.00 KiB");
  EXPECT_EQ(text_of(Metric::Perplexity, 23.456), "23.46");
}

}  // namespace
}  // namespace cambium::study
