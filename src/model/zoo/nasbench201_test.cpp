#include "model/zoo/nasbench201.h"

#include <string>

#include <gtest/gtest.h>

#include "model/cost.h"

namespace cambium::model::zoo {
namespace {

constexpr const char* kAllConvolutions =
    "|nor_conv_3x3~0|+|nor_conv_3x3~0|nor_conv_3x3~1|+|nor_conv_3x3~0|nor_conv_3x3~1|nor_conv_3x3~"
    "2|";
constexpr const char* kNothing = "|none~0|+|none~0|none~1|+|none~0|none~1|none~2|";
constexpr const char* kMixed =
    "|avg_pool_3x3~0|+|nor_conv_1x1~0|skip_connect~1|+|none~0|nor_conv_3x3~1|skip_connect~2|";

Cost cost_of_cell(const char* text) {
  const auto cell = parse_cell(text);
  EXPECT_TRUE(cell.ok()) << cell.rejection().message();
  const auto model = nasbench201(*cell);
  EXPECT_TRUE(model.ok()) << model.rejection().message();
  return cost_of(*model);
}

TEST(NasBench201, CellsKeepTheirSpelling) {
  for (const char* text : {kAllConvolutions, kNothing, kMixed}) {
    EXPECT_EQ(parse_cell(text).value().text(), text);
  }
  const Cell mixed = parse_cell(kMixed).value();
  EXPECT_EQ(mixed.edge(0, 1), CellOp::AvgPool3x3);
  EXPECT_EQ(mixed.edge(1, 2), CellOp::SkipConnect);
  EXPECT_EQ(mixed.edge(1, 3), CellOp::Conv3x3);
}

// The benchmark lists 1.531546 M parameters for its largest network and 0.073306 M for its least.
TEST(NasBench201, NetworksHaveThePublishedParameters) {
  EXPECT_EQ(cost_of_cell(kAllConvolutions).params, 1'531'546);
  EXPECT_EQ(cost_of_cell(kNothing).params, 73'306);
}

// Per stage of width C and side S, five cells with a 1x1 and a 3x3 convolution.
TEST(NasBench201, EdgesCostWhatTheirOperationsDo) {
  std::int64_t expected = 0;
  for (const auto& [width, side] : {std::pair{16, 32}, {32, 16}, {64, 8}}) {
    expected += std::int64_t{5} * width * width * side * side * (1 + 9);
  }
  EXPECT_EQ(cost_of_cell(kMixed).macs - cost_of_cell(kNothing).macs, expected);
}

TEST(NasBench201, RefusesOtherSpellingsAndSaysWhere) {
  const auto column = [](const std::string& text) -> std::int64_t {
    const auto cell = parse_cell(text);
    EXPECT_FALSE(cell.ok()) << text;
    if (cell.ok()) return -1;
    EXPECT_EQ(cell.rejection().reason(), Reason::BadSyntax);
    const std::string message = cell.rejection().message();
    return std::stoll(message.substr(message.find("column ") + 7));
  };
  EXPECT_EQ(column(""), 1);
  EXPECT_EQ(column("none~0|"), 1);
  EXPECT_EQ(column("|noon~0|"), 2);
  EXPECT_EQ(column("|none~1|"), 6);
  EXPECT_EQ(column("|none~0|"), 9);
  EXPECT_EQ(column("|none~0||none~0|none~1|"), 9);
  EXPECT_EQ(column(std::string(kNothing) + "+"),
            static_cast<std::int64_t>(std::string(kNothing).size()) + 1);
  EXPECT_EQ(column("|none~0|+|none~0|none~0|+|none~0|none~1|none~2|"), 22);
}

}  // namespace
}  // namespace cambium::model::zoo
