#include "base/utf8.h"

#include <ios>
#include <utility>

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(Utf8, ReadsOneCharacterOrOneByte) {
  const auto sees = [](std::string_view text, std::string_view bytes, char32_t code, bool valid) {
    const Character first = first_character(text);
    EXPECT_EQ(first.bytes, bytes) << text;
    EXPECT_EQ(first.code, code) << text;
    EXPECT_EQ(first.is_valid, valid) << text;
  };
  sees("ab", "a", 'a', true);
  sees("éa", "é", 0xe9, true);
  sees("…", "…", 0x2026, true);
  sees("😀", "😀", 0x1f600, true);
  sees(std::string_view("\0", 1), std::string_view("\0", 1), 0, true);
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5", "\xff", "\xc3", "\xe2\x80", "\xc3("}) {
    sees(bad, std::string_view(bad, 1), static_cast<unsigned char>(bad[0]), false);
  }
}

TEST(Utf8, KnowsWhatNobodyWouldSee) {
  for (const char* hidden :
       {"\x1b",   "\n",     "\t",     "\r",     "\x7f",       "\u0080", "\u009b",
        "\u061c", "\u200b", "\u200e", "\u200f", "\u2028",     "\u2029", "\u202a",
        "\u202e", "\u2066", "\u2069", "\ufeff", "\U000e0041", "\xff",   "\xc3"}) {
    EXPECT_TRUE(is_invisible(first_character(hidden))) << hidden;
  }
  for (const char* seen : {" ", "~", "\u00a0", "é", "…", "中", "😀"}) {
    EXPECT_FALSE(is_invisible(first_character(seen))) << seen;
  }
  EXPECT_EQ(visible(first_character("\x1b")), "\\x1b");
  EXPECT_EQ(visible(first_character("\xff")), "\\xff");
  EXPECT_EQ(visible(first_character("\u202e")), "\\u202e");
  EXPECT_EQ(visible(first_character("\U000e0041")), "\\U000e0041");
}

// Names that differ in these alone would look the same.
TEST(Utf8, KnowsWhatUnicodeCallsIgnorable) {
  constexpr std::pair<char32_t, char32_t> kIgnorable[] = {
      {0xad, 0xad},       {0x34f, 0x34f},    {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},
      {0x180b, 0x180f},   {0x200b, 0x200f},  {0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
      {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},  {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3},
      {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
  const auto is_hidden = [](char32_t code) { return is_invisible({"?", code, true}); };
  for (const auto& [first, last] : kIgnorable) {
    EXPECT_TRUE(is_hidden(first) && is_hidden(last)) << std::hex << static_cast<unsigned>(first);
  }
  for (const unsigned seen :
       {0xacU,   0xaeU,   0x34eU,  0x350U,  0x115eU,  0x17b6U,  0x180aU,  0x1810U,
        0x2010U, 0x205eU, 0x2070U, 0x3163U, 0x3165U,  0xfdffU,  0xfe10U,  0xff9fU,
        0xffa1U, 0xffefU, 0xfffcU, 0xfffdU, 0x1bc9fU, 0x1d172U, 0x1d17bU, 0xe1000U}) {
    EXPECT_FALSE(is_hidden(seen)) << std::hex << seen;
  }
}

TEST(Utf8, CutsBetweenCharacters) {
  EXPECT_EQ(beginning("aéb", 10), "aéb");
  EXPECT_EQ(beginning("aéb", 2), "a");
  EXPECT_EQ(beginning("aéb", 3), "aé");
  EXPECT_EQ(beginning(std::string(100, '\x80'), 50).size(), 46U) << "no text: cut somewhere";
  EXPECT_EQ(count_characters("aé…\xff"), 4U);
}

TEST(Utf8, ShorteningTakesTheMiddleOut) {
  EXPECT_EQ(shortened("layer1.0.conv1", 20), "layer1.0.conv1");
  EXPECT_EQ(shortened("layer1.0.conv1", 10), "layer…onv1");
  EXPECT_EQ(shortened("ééééé", 5), "ééééé");
  EXPECT_EQ(shortened("ééééé", 3), "é…é");
  EXPECT_EQ(shortened("abc", 1), "…");
}

}  // namespace
}  // namespace cambium
