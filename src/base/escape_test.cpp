#include "base/escape.h"

#include <gtest/gtest.h>

namespace cambium {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kHidden = "a\0\x1b[31m\r\u009b\u202e\xff"sv;
constexpr std::string_view kShown = "a\\x00\\x1b[31m\\x0d\\u009b\\u202e\\xff";

TEST(Escape, ATerminalShowsWhatItWouldObey) {
  EXPECT_EQ(terminal_text(kHidden), kShown);
  EXPECT_EQ(terminal_text("é\n\tb"), "é\\x0a\\x09b");
  EXPECT_EQ(terminal_lines("é\n\tb\x1b"), "é\n\tb\\x1b");
}

TEST(Escape, HtmlHasNoMarkup) {
  EXPECT_EQ(html_text("<b a='1' c=\"2\">&amp;"),
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
  EXPECT_EQ(html_text(kHidden), kShown);
  EXPECT_EQ(html_text("µ line\n\tline"), "µ line\n\tline");
}

TEST(Escape, ADotLabelEndsWhereItEnds) {
  EXPECT_EQ(dot_text(R"(a"b\)"), R"(a\"b\\)");
  EXPECT_EQ(dot_text("\\N &lt;\n"), "\\\\N &amp;lt;\\\\x0a");
  EXPECT_LT(dot_text(std::string(100'000, 'x')).size(), 300U);
}

TEST(Escape, MarkdownHasNoMarkupAndKeepsTheCell) {
  EXPECT_EQ(markdown_text("a|b`c`*d*"), "a\\|b\\`c\\`\\*d\\*");
  EXPECT_EQ(markdown_text("[x](http://y)"), "\\[x\\]\\(http&#58;//y\\)");
  EXPECT_EQ(markdown_text("<b>&"), "&lt;b&gt;&amp;");
  EXPECT_EQ(markdown_text("www.x.y\n"), "www&#46;x.y\\\\x0a");
}

TEST(Escape, ADocstringEndsWhereItEnds) {
  EXPECT_EQ(python_doc("a\"\"\"\\"), "a\\\"\\\"\\\"\\\\");
  EXPECT_EQ(python_doc("\\N{x}\n\tb"), "\\\\N{x}\n\tb");
  EXPECT_EQ(python_doc("\r\x1b"), "\\\\x0d\\\\x1b");
}

TEST(Escape, ACommentOfCEndsWhereItEnds) {
  for (const char* text : {"*/", "/*", "**//", "a*", "?\?/", "??\?/", "\\", "*\\\n/", "/"}) {
    const std::string safe = c_comment(text);
    EXPECT_EQ(safe.find("*/"), std::string::npos) << safe;
    EXPECT_EQ(safe.find("/*"), std::string::npos) << safe;
    EXPECT_EQ(safe.find("??"), std::string::npos) << safe;
    EXPECT_EQ(safe.find('\n'), std::string::npos) << safe;
    EXPECT_EQ(std::string_view("*\\").find(safe.back()), std::string_view::npos) << safe;
  }
  EXPECT_EQ(c_comment("layer1/conv*2 é"), "layer1/conv*2 é");
}

TEST(Escape, AShellSeesOneWord) {
  EXPECT_EQ(shell_word("--seed=7"), "--seed=7");
  EXPECT_EQ(shell_word("my study.db"), "'my study.db'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(rm -r .)"), "'$(rm -r .)'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a'\n\x1b\\"), "$'a\\'\\012\\033\\\\'");
}

TEST(Escape, AnIdentifierIsOneAndNoPath) {
  EXPECT_EQ(identifier("layer1.0/conv", "m_"), "layer1_0_conv");
  EXPECT_EQ(identifier("../../etc", "m_"), "______etc");
  EXPECT_EQ(identifier("7x", "m_"), "m_7x");
  EXPECT_EQ(identifier("", "model"), "model");
  EXPECT_EQ(identifier("é", "m_"), "__");
  EXPECT_EQ(identifier(std::string(100'000, 'x'), "m_").size(), 64U);
}

}  // namespace
}  // namespace cambium
