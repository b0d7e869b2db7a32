#include "report/html.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cambium::report {
namespace {

TEST(Html, TextsNeverBecomeMarkup) {
  EXPECT_EQ(escaped("<b a='1' c=\"2\">&amp;"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b", 4)), "a�b�");
  EXPECT_EQ(escaped("µ line\n\tline"), "µ line\n\tline");
}

TEST(Html, ScriptsHoldNothingThatEndsThem) {
  const std::string text = script_json({{"title", "</script><!-- <script>"}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find('>'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text)["title"], "</script><!-- <script>");
}

TEST(Html, ArgumentsAreQuotedWhereAShellWouldSplitOrExpandThem) {
  EXPECT_EQ(shell_quoted("--seed=7"), "--seed=7");
  EXPECT_EQ(shell_quoted("my study.db"), "'my study.db'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$(rm -r .)"), "'$(rm -r .)'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace cambium::report
