#include "base/scanner.h"

#include <vector>

#include <gtest/gtest.h>

namespace cambium {
namespace {

constexpr std::string_view kArrows[] = {"->", "<="};
constexpr Lexicon kNames{.in_names = "_.+-", .long_signs = kArrows};
constexpr Lexicon kWhole{.numbers = Lexicon::Numbers::Whole, .comments = false};
constexpr Lexicon kFractions{.numbers = Lexicon::Numbers::Fractions};

using Tokens = std::vector<std::string>;

Tokens tokens_of(std::string_view text, const Lexicon& lexicon) {
  Tokens tokens;
  for (Scanner s(text, lexicon); !s.at_end(); s.advance()) tokens.emplace_back(s.token());
  return tokens;
}

TEST(Scanner, SplitsAsTheLexiconSays) {
  EXPECT_EQ(tokens_of("1e-05 layer1.0 %5.1", kNames), (Tokens{"1e-05", "layer1.0", "%", "5.1"}));
  EXPECT_EQ(tokens_of("12ab 1.5", kWhole), (Tokens{"12", "ab", "1", ".", "5"}));
  EXPECT_EQ(tokens_of("2e+3x .5 1.", kFractions), (Tokens{"2e+3", "x", ".", "5", "1."}));
  EXPECT_EQ(tokens_of("a<=b<c", kNames), (Tokens{"a", "<=", "b", "<", "c"}));
  EXPECT_EQ(tokens_of("a<=b", kWhole), (Tokens{"a", "<", "=", "b"}));
}

TEST(Scanner, SkipsBlanksAndTheCommentsThatTheLexiconHas) {
  EXPECT_EQ(tokens_of(" a # b\n\tc # d", kNames), (Tokens{"a", "c"}));
  EXPECT_EQ(tokens_of("a # b", kWhole), (Tokens{"a", "#", "b"}));
  EXPECT_EQ(tokens_of("a\vb", kWhole), (Tokens{"a", "\v", "b"}));
  EXPECT_EQ(tokens_of("a\vb", {.blanks = "\v"}), (Tokens{"a", "b"}));
}

TEST(Scanner, TakesOnlyWhatIsThere) {
  Scanner s("block b in 4", kWhole);
  EXPECT_FALSE(s.take_word("loop"));
  EXPECT_FALSE(s.take("block")) << "a name is no sign";
  EXPECT_TRUE(s.take_word("block"));
  EXPECT_EQ(s.word(), "b");
  EXPECT_TRUE(s.expect_word("in").ok());
  EXPECT_EQ(s.word(), "") << "a number is no name";
  EXPECT_EQ(s.whole("an extent").value(), 4);
  EXPECT_TRUE(s.at_end());
}

TEST(Scanner, ReadsNumbersOf64Bits) {
  EXPECT_EQ(Scanner("9223372036854775807", kWhole).whole(), 9223372036854775807);
  EXPECT_EQ(Scanner("9223372036854775808", kWhole).whole(), std::nullopt);
  EXPECT_EQ(Scanner("1.0", kFractions).whole(), std::nullopt);
  EXPECT_EQ(Scanner("x", kWhole).whole(), std::nullopt);
  EXPECT_EQ(Scanner("7x", kNames).whole(), std::nullopt);
}

TEST(Scanner, ReadsThreeKindsOfStrings) {
  using Strings = Scanner::Strings;
  const auto read = [](std::string_view text, Strings how) {
    Scanner s(text, kNames);
    const auto found = s.string(how);
    return found.ok() ? std::string(*found) + "|" + std::string(s.token())
                      : found.rejection().message();
  };
  EXPECT_EQ(read(R"("a # b" c)", Strings::Plain), "a # b|c");
  EXPECT_EQ(read(R"("a\" c")", Strings::Plain), R"(a\|c)");
  EXPECT_EQ(read(R"("a\" c" d)", Strings::Escaped), R"(a\" c|d)");
  EXPECT_EQ(read("\"a\nb\" c", Strings::Long), "a\nb|c");
  const std::string open = "line 1, column 1: expected a string that ends on its line, found '\"'";
  EXPECT_EQ(read("\"a\nb\"", Strings::Plain), open);
  EXPECT_EQ(read(R"("a\")", Strings::Escaped).substr(0, open.size() - 4),
            open.substr(0, open.size() - 4));
  EXPECT_EQ(read("\"a\nb", Strings::Long),
            "line 1, column 1: expected a string that ends, found '\"'");
  EXPECT_EQ(read("a", Strings::Plain),
            "line 1, column 1: expected a string in double quotes, found 'a'");
}

TEST(Scanner, TakesTextUpToAStopOutsideBrackets) {
  Scanner s("max(i, j) + x[1, 2] , k", kWhole);
  EXPECT_EQ(s.until(","), "max(i, j) + x[1, 2]");
  EXPECT_TRUE(s.take(","));
  EXPECT_EQ(s.until(","), "k");
  EXPECT_TRUE(s.at_end());
  EXPECT_EQ(Scanner("i) + j,", kWhole).until(","), "i") << "a bracket that closes ends it";
}

TEST(Scanner, SaysLineColumnExpectedAndFound) {
  Scanner s("a\n  # b\n  \"some text\" \x01", kNames);
  EXPECT_EQ(s.word("a name").value(), "a");
  EXPECT_EQ(s.refuse("a name").message(),
            "line 3, column 3: expected a name, found '\"some text\"'");
  EXPECT_EQ(s.refuse_at(0, "'b'").message(), "line 1, column 1: expected 'b', found 'a'");
  EXPECT_TRUE(s.string(Scanner::Strings::Plain).ok());
  EXPECT_EQ(s.expect(")").rejection().message(), "line 3, column 15: expected ')', found '\\x01'");
  s.advance();
  EXPECT_EQ(s.expect_word("in").rejection().message(),
            "line 3, column 16: expected 'in', found the end");
  EXPECT_EQ(s.describe(s.place_of(s.token())), "line 3, column 16");
}

}  // namespace
}  // namespace cambium
