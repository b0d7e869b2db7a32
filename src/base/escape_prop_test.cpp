// Whatever a text holds, and wherever it is cut from, the language around it does not see it.
#include <iterator>

#include <gtest/gtest.h>

#include "base/escape.h"
#include "base/random.h"
#include "base/utf8.h"

namespace cambium {
namespace {

using std::string_view_literals::operator""sv;

// Signs that mean something somewhere, whole and in parts.
constexpr std::string_view kPieces[] = {
    "a"sv,     "_"sv,    "\\"sv,     "\""sv,     "'"sv,    "*"sv,          "/"sv,
    "?"sv,     "|"sv,    "`"sv,      "<"sv,      ">"sv,    "&"sv,          "amp;"sv,
    "$("sv,    "{}"sv,   "www."sv,   ":"sv,      "\n"sv,   "\r"sv,         "\0"sv,
    "\x1b["sv, "\x7f"sv, "\xc2"sv,   "\x9b"sv,   "\xe2"sv, "\x80"sv,       "\xae"sv,
    "\xff"sv,  "é"sv,    "\u202e"sv, "\u2028"sv, "😀"sv,    "\U000e0041"sv, "\xed\xa0"sv};

std::string drawn(Rng& rng) {
  std::string text;
  for (std::uint64_t i = rng.below(12); i > 0; --i) text += kPieces[rng.below(std::size(kPieces))];
  return text;
}

bool is_plain(std::string_view text, std::string_view kept) {
  while (!text.empty()) {
    const Character next = first_character(text);
    if (is_invisible(next) && kept.find(next.bytes) == std::string_view::npos) return false;
    text.remove_prefix(next.bytes.size());
  }
  return true;
}

// Whether every one of `signs` follows an odd number of backslashes, and the end an even one.
bool is_backslashed(std::string_view text, std::string_view signs) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (signs.find(text[i]) != std::string_view::npos) return false;
    if (text[i] == '\\' && ++i == text.size()) return false;
  }
  return true;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST(EscapeProperty, NoTextGetsOutOfItsPlace) {
  Rng rng(1);
  for (int i = 0; i < 50'000; ++i) {
    const std::string text = drawn(rng);
    SCOPED_TRACE(terminal_text(text));
    const std::string terminal = terminal_text(text), html = html_text(text), dot = dot_text(text);
    const std::string markdown = markdown_text(text), doc = python_doc(text);
    const std::string comment = c_comment(text), name = identifier(text, "x");
    ASSERT_TRUE(is_plain(terminal, "") && is_plain(terminal_lines(text), "\n\t"));
    ASSERT_TRUE(is_plain(html, "\n\t") && is_plain(dot, "") && is_plain(markdown, ""));
    ASSERT_TRUE(is_plain(doc, "\n\t") && is_plain(comment, "") && is_plain(shell_word(text), ""));
    ASSERT_EQ(terminal_text(terminal), terminal) << "what is plain stays";
    ASSERT_EQ(html.find_first_of("<>\"'"), std::string::npos);
    ASSERT_TRUE(is_backslashed(dot, "\"")) << dot;
    ASSERT_TRUE(is_backslashed(doc, "\"")) << doc;
    ASSERT_TRUE(is_backslashed(markdown, "|`*[]<>")) << markdown;
    // With everything that a compiler may join it to.
    const std::string around = "/* " + comment + "*/";
    ASSERT_EQ(around.find("*/"), around.size() - 2) << around;
    ASSERT_FALSE(has(comment, "/*") || has(comment, "??")) << comment;
    ASSERT_TRUE(!name.empty() && name.size() <= 64);
    ASSERT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace cambium
