#include "tune/cost_model/booster.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"

namespace cambium::tune {
namespace {

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<float>(rng.uniform()));
  return values;
}

Result<std::vector<std::byte>> grown(std::uint64_t seed) {
  const std::vector<float> values = noise(600, 3);
  CAMBIUM_TRY(const Table table, Table::make(values, 3));
  const std::vector<const Table*> tables{&table};
  CAMBIUM_TRY(Booster booster, Booster::make({0.3, 4, seed}, {"a", "b", "c"}, tables));
  std::vector<float> hessian(200, 1.0F), gradient = noise(200, 5);
  for (int i = 0; i < 5; ++i) CAMBIUM_REQUIRE(booster.grow(table, gradient, hessian));
  return booster.bytes();
}

TEST(Booster, IsTheSameForTheSameSeed) {
  const auto first = grown(7), second = grown(7), other = grown(8);
  ASSERT_TRUE(first.ok()) << first.rejection().message();
  EXPECT_EQ(*first, *second);
  EXPECT_NE(*first, *other);
}

TEST(Booster, SurvivesItsOwnBytes) {
  const auto bytes = grown(7);
  ASSERT_TRUE(bytes.ok());
  const auto read = Booster::parse(*bytes, {}, {});
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_EQ(*read->trees(), 5);
  EXPECT_EQ(*read->columns(), (std::vector<std::string>{"a", "b", "c"}));
  const std::vector<float> rows = noise(30, 9);
  const Table table = Table::make(rows, 3).value();
  EXPECT_EQ(*read->predict(table), *read->predict(rows, 3)) << "both ways to predict";
  const auto fewer = read->first(2);
  ASSERT_TRUE(fewer.ok());
  EXPECT_EQ(*fewer->trees(), 2);
  EXPECT_EQ(fewer->columns()->size(), 3U);
}

TEST(Booster, RefusesInfiniteNumbers) {
  const std::vector<float> values{1, 2, std::numeric_limits<float>::infinity()};
  const auto table = Table::make(values, 3);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.rejection().reason(), Reason::LearnerFailed);
}

TEST(Booster, RefusesTextThatIsNoModel) {
  const std::string text = "{\"version\": [1, 7], \"learner\": 3}";
  const auto read = Booster::parse(std::as_bytes(std::span(text)), {}, {});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.rejection().reason(), Reason::LearnerFailed);
}

}  // namespace
}  // namespace cambium::tune
