#include "base/columns.h"

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(Columns, AreNoneForMarksAndTwoForWideCharacters) {
  EXPECT_EQ(count_columns("abc"), 3U);
  EXPECT_EQ(count_columns("é…"), 2U);
  EXPECT_EQ(count_columns("e\u0301"), 1U) << "an accent of its own";
  EXPECT_EQ(count_columns("中文"), 4U);
  EXPECT_EQ(count_columns("한"), 2U);
  EXPECT_EQ(count_columns("\u1112\u1161\u11ab"), 2U) << "the same syllable in three letters";
  EXPECT_EQ(count_columns("\uff21"), 2U) << "a letter of full width";
  EXPECT_EQ(count_columns("\uff71"), 1U) << "and one of half";
  EXPECT_EQ(count_columns("😀"), 2U);
  EXPECT_EQ(count_columns("\U00020000\U0003fffd"), 4U);
  EXPECT_EQ(count_columns("\xff"), 1U);
  EXPECT_EQ(count_columns(""), 0U);
}

TEST(Columns, CutNoWideCharacterInTwoAndLeaveNoMarkBehind) {
  EXPECT_EQ(first_columns("中文a", 3), "中");
  EXPECT_EQ(first_columns("中文a", 4), "中文");
  EXPECT_EQ(first_columns("ae\u0301b", 2), "ae\u0301");
  EXPECT_EQ(first_columns("ab", 9), "ab");
  EXPECT_EQ(first_columns("ab", 0), "");
}

TEST(Columns, ShorteningTakesTheMiddleOut) {
  EXPECT_EQ(shortened_to_columns("layer1.0.conv1", 14), "layer1.0.conv1");
  EXPECT_EQ(shortened_to_columns("layer1.0.conv1", 10), "layer…onv1");
  EXPECT_EQ(shortened_to_columns("中文中文中文", 12), "中文中文中文");
  EXPECT_EQ(shortened_to_columns("中文中文中文", 11), "中文…中文") << "a column stays empty";
  EXPECT_EQ(shortened_to_columns("abcde\u0301f", 4), "ab…f") << "not the accent alone";
  EXPECT_EQ(shortened_to_columns("abc", 1), "…");
}

}  // namespace
}  // namespace cambium
