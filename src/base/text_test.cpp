#include "base/text.h"

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(Text, SplitKeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(split("a,", ','), (std::vector<std::string_view>{"a", ""}));
}

TEST(Text, JoinUndoesSplit) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "b"}, ","), "a,,b");
  EXPECT_EQ(join({}, ","), "");
}

TEST(Text, TrimTakesWhiteSpaceOnlyFromTheEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, QuoteShowsWhatATerminalWouldHide) {
  EXPECT_EQ(quote("it's\n\x01"), "'it\\'s\\n\\x01'");
  EXPECT_EQ(quote("é \u202e \u009b \xff"), "'é \\u202e \\u009b \\xff'");
}

TEST(Text, NumbersMustBeTheWholeText) {
  EXPECT_EQ(*parse_int("-42"), -42);
  EXPECT_EQ(*parse_double("1.5e3"), 1500.0);
  for (const char* bad : {"", " 1", "1 ", "1x", "0x10", "+1", "9223372036854775808"}) {
    ASSERT_FALSE(parse_int(bad).ok()) << bad;
    EXPECT_EQ(parse_int(bad).rejection().reason(), Reason::BadNumber);
  }
  for (const char* bad : {"", "nan", "inf", "1e999", "1,5", "1.5 "}) {
    EXPECT_FALSE(parse_double(bad).ok()) << bad;
  }
}

TEST(Text, ARefusedNumberSaysWhatWouldHaveBeenTaken) {
  EXPECT_EQ(parse_int("65", 1, 64).rejection().message(),
            "'65' is not a whole number from 1 to 64");
  EXPECT_EQ(parse_int("0", 1).rejection().message(), "'0' is not a whole number of at least 1");
}

TEST(Text, ClosestSuggestsMisspellingsOnly) {
  const std::vector<std::string> names = {"resnet18", "resnet34", "vgg16"};
  EXPECT_EQ(closest("resnet43", names), "resnet34");
  EXPECT_EQ(closest("restnet18", names), "resnet18");
  EXPECT_EQ(closest("bert", names), std::nullopt);
  EXPECT_EQ(closest("", names), std::nullopt);
}

TEST(Text, HumanNumbersKeepThreeDigitsAndNeverReach1000) {
  EXPECT_EQ(human_count(950), "950");
  EXPECT_EQ(human_count(1234), "1.23 k");
  EXPECT_EQ(human_count(999'999), "1.00 M");
  EXPECT_EQ(human_count(11.17e6), "11.2 M");
  EXPECT_EQ(human_count(4.1e9), "4.10 G");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1536), "1.50 KiB");
  EXPECT_EQ(human_bytes(std::int64_t{200} << 20), "200 MiB");
}

TEST(Closest, AsksNothingOfANameThatIsMuchLonger) {
  const std::vector<std::string> names = {"conv1", "conv2"};
  EXPECT_EQ(closest(std::string(100'000'000, 'c'), names), std::nullopt);
}

}  // namespace
}  // namespace cambium
