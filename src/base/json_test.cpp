#include "base/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cambium {
namespace {

TEST(Json, TextRoundTrips) {
  const std::string text = R"({"a":[1,2.5,null,true],"b":"x\ny"})";
  EXPECT_EQ(json_text(*parse_json(text)), text);
  EXPECT_EQ(*parse_json(pretty_json_text(*parse_json(text))), *parse_json(text));
}

TEST(Json, RefusesWithLineAndColumn) {
  const Result<nlohmann::json> refused = parse_json("{\n  \"a\": 1,\n  \"b\" 2\n}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::BadSyntax);
  EXPECT_EQ(refused.rejection().number(0), 3);
  EXPECT_EQ(refused.rejection().number(1), 7);
  EXPECT_EQ(refused.rejection().message(),
            "line 3, column 7: expected JSON, found unexpected number literal; expected ':'");
}

TEST(Json, RefusesWhateverIsNotJson) {
  for (const char* bad :
       {"", "{", "[1,]", "{\"a\":1} x", "nul", "1e999", "\"\xff\"", "\"\\ud800\""}) {
    EXPECT_FALSE(parse_json(bad).ok()) << bad;
  }
}

TEST(Json, RefusesNestingThatWouldOverflowTheStack) {
  EXPECT_TRUE(parse_json(std::string(200, '[') + std::string(200, ']')).ok());
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')).ok());
  EXPECT_FALSE(parse_json(std::string(201, '[') + std::string(201, ']')).ok());
  EXPECT_TRUE(parse_json("\"" + std::string(1000, '[') + "\\\"[\"").ok());
}

TEST(Json, PrintsEvenWhatIsNotUtf8) {
  EXPECT_EQ(json_text(nlohmann::json("a\xff")), "\"a\xef\xbf\xbd\"");
}

TEST(Json, HidesNothingFromAReaderAndActsOnNoTerminal) {
  const nlohmann::json value = "\x1b\x7f é \u009b31m \u202e \U000e0041";
  const std::string text = json_text(value);
  EXPECT_EQ(text, "\"\\u001b\\u007f é \\u009b31m \\u202e \\udb40\\udc41\"");
  EXPECT_EQ(*parse_json(text), value);
}

}  // namespace
}  // namespace cambium
