#include "report/script_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cambium::report {
namespace {

TEST(ScriptJson, HoldsNothingThatEndsTheScript) {
  const std::string text = script_json({{"title", "</script><!-- <script>\u2028"}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find('>'), std::string::npos);
  EXPECT_EQ(text.find("\u2028"), std::string::npos) << "which ends a line of older JavaScript";
  EXPECT_EQ(nlohmann::json::parse(text)["title"], "</script><!-- <script>\u2028");
}

}  // namespace
}  // namespace cambium::report
