#include "spaces/coordinate/document.h"

#include "spaces/coordinate/canonical.h"
#include "spaces/coordinate/documents_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::conv_problem;
using testing::make_problem;
using testing::plane_problem;
using testing::refusal;

TEST(DocumentTest, PrintsOperator1InDerivedNames) {
  const auto op = parse(conv_problem(), testing::kOperator1);
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  EXPECT_EQ(to_text(conv_problem(), *op), R"(operator [N, Ci, H, W] -> [N, Co, H, W]
out     n, co, h, w
sum     r1: g, r2: Ci/g, r3: k, r4: k, r5: Co/g/s
x       n, split(r1, r2), unfold(h, r3), unfold(w, r4)
w1      co, r1, r3, r4, r5
w2      r4, r5, split(r1, r2)
)");
}

TEST(DocumentTest, WhatIsPrintedIsReadBack) {
  for (const std::string_view document : {testing::kConv2d, testing::kOperator1}) {
    const auto op = parse(conv_problem(), document);
    ASSERT_TRUE(op.ok()) << op.rejection().message();
    EXPECT_EQ(*parse(conv_problem(), to_text(conv_problem(), *op)), *op);
    EXPECT_EQ(*parse(conv_problem(), to_json(conv_problem(), *op)), *op);
  }
  const Problem up = make_problem("[H]", "[s*H]", {"H=4, s=2"});
  const auto op = parse(up, "operator [H] -> [s*H] out h x high(h, s) expand low(h, s)");
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  EXPECT_EQ(*parse(up, to_text(up, *op)), *op);
  EXPECT_EQ(*parse(up, to_json(up, *op)), *op);
}

TEST(DocumentTest, JsonHasOneFieldForEachLine) {
  const Problem up = make_problem("[H]", "[s*H]", {"H=4, s=2"});
  const auto op = parse(up, R"json({"input": "[H]", "output": "[s*H]", "out": ["h"],
                                    "x": ["high(h, s)"], "expand": ["low(h, s)"]})json");
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  EXPECT_EQ(to_json(up, *op),
            R"json({"expand":["low(h, s)"],"input":"[H]","out":["h"],"output":"[s*H]",)json"
            R"json("sum":[],"weights":[],"x":["high(h, s)"]})json");
}

TEST(DocumentTest, NamesAndCommentsDoNotMatter) {
  const std::string other = R"(# a convolution, by other names
operator [N, Ci, H, W] -> [N, Co, H, W]   # the usual shapes
out   batch, channel, row, column
sum   y: k, z: k, in: Ci
x     batch, in, unfold(row, y), unfold(column, z)
w1    z, y, in, channel
)";
  EXPECT_EQ(*parse(conv_problem(), other), *parse(conv_problem(), testing::kConv2d));
}

TEST(DocumentTest, IdentityDoesNotDependOnHowVariablesWereDeclared) {
  const Problem other = make_problem("[N, Ci, H, W]", "[N, Co, H, W]",
                                     {"q=5, s=2, g=2, k=3, N=1, W=8, H=8, Co=8, Ci=8"});
  ASSERT_NE(other.sizes, conv_problem().sizes);
  const auto here = parse(conv_problem(), testing::kOperator1);
  const auto there = parse(other, testing::kOperator1);
  ASSERT_TRUE(here.ok() && there.ok());
  EXPECT_EQ(identity(conv_problem(), *here), identity(other, *there));
}

TEST(DocumentTest, TellsTheShapesBeforeThereIsAProblem) {
  const auto shapes = document_shapes(testing::kConv2d);
  ASSERT_TRUE(shapes.ok());
  EXPECT_EQ(shapes->input, "[N,Ci,H,W]");
  EXPECT_EQ(shapes->output, "[N,Co,H,W]");
  const auto json = document_shapes(R"({"input": "[H]", "output": "[s*H]"})");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->output, "[s*H]");
  EXPECT_EQ(document_shapes("nothing").rejection().message(),
            "line 1, column 1: expected 'operator', found 'nothing'");
}

TEST(DocumentTest, RefusesMalformedTextWithLineAndColumn) {
  const Problem problem = plane_problem();
  const std::string head = "operator [H, W] -> [H, W]\n";
  EXPECT_EQ(refusal(problem, ""), "line 1, column 1: expected 'operator', found the end");
  EXPECT_EQ(refusal(problem, head + "out h w"), "line 2, column 7: expected 'x', found 'w'");
  EXPECT_EQ(refusal(problem, head + "out h, w\nx h, q"), "line 3, column 6: 'q' is not declared");
  EXPECT_EQ(refusal(problem, head + "out h, w\nx h, roll(w)"),
            "line 3, column 6: 'roll' is not declared");
  EXPECT_EQ(refusal(problem, head + "out h, h\nx h, w"),
            "line 2, column 8: 'h' is already declared");
  EXPECT_EQ(refusal(problem, head + "out h, w, v\nx h, w"),
            "line 2, column 11: out: more coordinates than axes of the output [H, W]");
  EXPECT_EQ(refusal(problem, head + "out h, split\nx h, w"),
            "line 2, column 8: expected a name for a coordinate, found 'split'");
  EXPECT_EQ(refusal(problem, head + "out h, w\nsum a k\nx h, w"),
            "line 3, column 7: expected ':', found 'k'");
  EXPECT_EQ(refusal(problem, head + "out h, w\nsum a: q\nx h, w"),
            "line 3, column 8: 'q' is not declared");
  EXPECT_EQ(refusal(problem, head + "out h, w\nx h, split(w, )"),
            "line 3, column 15: expected a coordinate, found ')'");
  EXPECT_EQ(refusal(problem, head + "out h, w\nx h, low(w, k"),
            "line 3, column 14: expected ')', found the end");
  EXPECT_EQ(refusal(problem, head + "out h, w\nx h, w\nw2 h"),
            "line 4, column 1: expected ',', the next weight, expand or the end, found 'w2'");
}

TEST(DocumentTest, RefusesAnotherProblemsShapes) {
  EXPECT_EQ(refusal(plane_problem(), "operator [H, H] -> [H, W] out h, w x h, w"),
            "operator: [H, H] -> [H, W], but the problem is [H, W] -> [H, W]");
  EXPECT_EQ(refusal(plane_problem(), "operator [H, Q] -> [H, W] out h, w x h, w"),
            "input: 'Q' is not declared");
}

TEST(DocumentTest, RefusesMalformedJsonWithItsField) {
  const Problem problem = plane_problem();
  const std::string head = R"({"input": "[H, W]", "output": "[H, W]", "out": ["h", "w"], )";
  EXPECT_EQ(refusal(problem, head + R"("x": ["h", "q"]})"), "x[1]: 'q' is not declared");
  EXPECT_EQ(refusal(problem, head + R"("x": ["h", "w w"]})"),
            "x[1]: line 1, column 3: expected the end, found 'w'");
  EXPECT_EQ(refusal(problem, head + R"("x": ["h", 2]})"), "'x[1]' is missing or not a string");
  EXPECT_EQ(refusal(problem, head + R"("x": "h"})"), "'x' is missing or not a list of strings");
  EXPECT_EQ(refusal(problem, head + R"("weights": []})"),
            "'x' is missing or not a list of strings");
  EXPECT_EQ(refusal(problem, head + R"("x": ["h", "w"], "weights": [["h", "h"]]})"),
            "out[0]: OUTPUT h is used twice, by w1; each coordinate must be used exactly once");
  EXPECT_EQ(refusal(problem, head + R"("y": []})"), "'y' is not declared");
  EXPECT_EQ(refusal(problem, R"({"input": 1})"), "'input' is missing or not a string");
}

TEST(DocumentTest, RefusesMoreThanItCanHold) {
  std::string deep = "h";
  for (int i = 0; i < 70; ++i) deep = "shift(" + deep + ")";
  EXPECT_EQ(parse(plane_problem(), "operator [H, W] -> [H, W] out h, w x " + deep + ", w")
                .rejection()
                .reason(),
            Reason::TooDeep);
  std::string sums = "a: k";
  for (int i = 0; i < 40; ++i) sums += ", a" + std::to_string(i) + ": k";
  EXPECT_EQ(refusal(plane_problem(), "operator [H, W] -> [H, W] out h, w sum " + sums),
            "the number of reductions is 33; it must be from 0 to 32");
}

}  // namespace
}  // namespace cambium::spaces::coordinate
