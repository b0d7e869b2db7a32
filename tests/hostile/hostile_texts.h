// What somebody might call a model, its nodes and a study to harm whoever opens them, and how to
// tell that it harmed nobody.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cambium::tests {

// Each makes a file `canary` where it runs as Python or in a shell, does not compile where it gets
// out of a comment of C, and marks the page where it gets into HTML or SVG. None twice.
inline std::vector<std::string> hostile_texts(const std::string& canary) {
  using std::string_literals::operator""s;
  const std::string open = "open(" + nlohmann::json(canary).dump() + ", 'w')";
  const std::string mark = "document.documentElement.setAttribute('hostile', 1)";
  std::vector<std::string> texts = {
      // Python
      "\"\"\"\n" + open + "\n\"\"\"",
      "'''\n" + open + "\n'''",
      "a\"\"\"; " + open + "; \"\"\"",
      "\"",
      "\"\"",
      "x\\",
      "x\\\\\\",
      "\\N{BELL}",
      "\\u0022\\u0022\\u0022;" + open,
      "\\x22",
      "a\n" + open,
      "a\r" + open,
      "a\f" + open,
      "\t\n\n",
      "{}{0}{:n}{x!r}",
      "%s%n%d",
      "${x}#{x}",
      // C
      "*/\n#error hostile\n/*",
      "*/ int hostile; #",
      "x*",
      "x/*",
      "/",
      "?\?/",
      "*?\?/\n/",
      "//\\",
      "\\\n*/",
      // HTML, SVG and scripts
      "</script><script>" + mark + "</script>",
      "<img src=x onerror=\"" + mark + "\">",
      "'\"><svg onload=\"" + mark + "\">",
      "</title></h1></pre></td><script>" + mark + "</script>",
      "<!--",
      "-->",
      "]]>",
      "&lt;script&gt;&amp;",
      "javascript:" + mark,
      // Graphviz and Markdown
      "\"]; URL=\"javascript:x\"; x [label=\"",
      "\\G\\N\\l",
      "a|b|c",
      "`x`",
      "[x](http://x.y)",
      "# x",
      // a shell and SQL
      "$(touch '" + canary + "')",
      "`touch '" + canary + "'`",
      "'; touch '" + canary + "' #",
      "--help",
      "'; DROP TABLE candidate; --",
      // a terminal
      "\x1b[2J\x1b]0;hostile\x07",
      "\u009b2J",
      "a\rb",
      "\b\b\b",
      "\x7f",
      "x\0y"s,
      "\u202egnp.x\u202c",
      "\u2066x\u2069",
      "\u200e\u200f\u061c",
      "\u2028\u2029",
      // no UTF-8
      "\xff",
      "\xc3",
      "\xc0\xaf",
      "\xed\xa0\x80",
      "a\x80z",
      // paths
      "../../../../tmp/hostile",
      "/etc/passwd",
      ".",
      "..",
      "~",
      "a/b\\c",
      // names that mean something
      "class",
      "None",
      "def",
      "self",
      "torch",
      "F",
      "nn",
      "json",
      "load",
      "float",
      "int",
      "print",
      "__debug__",
      "__class__",
      "__init__",
      "__dict__",
      "__x",
      "_parameters",
      "_buffers",
      "forward",
      "register_buffer",
      "load_state_dict",
      "state_dict",
      "training",
      "named_buffers",
      "random",
      "main",
      "static",
      "NULL",
      "_STDINT",
      "stdint",
      "cambium_parallel",
      // names that become one
      "a.b",
      "a-b",
      "a b",
      "a_b",
      "a_b_2",
      "A_B",
      "7",
      "é",
      "",
  };
  texts.push_back(std::string(100'000, 'n'));
  texts.push_back(std::string(100'000, 'n') + "2");
  return texts;
}

// Nothing of it acts on a terminal or hides from a reader: UTF-8 in lines.
inline void expect_plain(std::string_view text, const std::string& what) {
  try {
    (void)nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception& error) {
    ADD_FAILURE() << what << " is no UTF-8: " << error.what();
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_control = (byte < 0x20 && text[i] != '\n' && text[i] != '\t') || byte == 0x7f;
    EXPECT_FALSE(is_control) << what << ": byte " << int{byte} << " at " << i << ", behind "
                             << text.substr(i < 60 ? 0 : i - 60, i < 60 ? i : 60);
    if (is_control) return;
  }
  const std::vector<std::string> hidden = {
      "\u200e", "\u200f", "\u061c", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066",
      "\u2067", "\u2068", "\u2069", "\u2028", "\u2029", "\u0080", "\u0085", "\u009b", "\u009d"};
  for (const std::string& one : hidden) {
    EXPECT_EQ(text.find(one), std::string_view::npos)
        << what << " holds " << nlohmann::json(one).dump(-1, ' ', true);
  }
}

}  // namespace cambium::tests
