#include "model/recognize/progression.h"

#include <gtest/gtest.h>

namespace cambium::model::recognition {
namespace {

std::vector<Ints> line(const Ints& values) {
  std::vector<Ints> points;
  for (const std::int64_t value : values) points.push_back({value});
  return points;
}

TEST(Progression, FindsWindowsInATable) {
  const auto levels = progressions(line({0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7}));
  ASSERT_TRUE(levels);
  EXPECT_EQ(*levels, (std::vector<Progression>{{3, {2}}, {4, {1}}}));
}

TEST(Progression, KeepsComponentsApart) {
  // Rows of three: the flat index goes on, the pair does not.
  const auto levels = progressions({{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  ASSERT_TRUE(levels);
  EXPECT_EQ(*levels, (std::vector<Progression>{{2, {1, 0}}, {3, {0, 1}}}));
}

TEST(Progression, HasNoneForOnePointAndNothingForDisorder) {
  EXPECT_TRUE(progressions(line({5}))->empty());
  EXPECT_FALSE(progressions(line({0, 1, 2, 0, 1})));
  EXPECT_FALSE(progressions(line({0, 1, 2, 0, 1, 3})));
}

}  // namespace
}  // namespace cambium::model::recognition
