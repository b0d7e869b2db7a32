#include "expr/text.h"

#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"

namespace cambium::expr {
namespace {

class TextTest : public testing::Test, protected ExprFixture {
 protected:
  Reason refusal(const std::string& text) { return parse(*cx, text).rejection().reason(); }
};

constexpr const char* kTexts[] = {"0",
                                  "-3",
                                  "true",
                                  "t",
                                  "4*W*t",
                                  "[Ci/g]*co + ci",
                                  "-[Ci/g]",
                                  "k^2*t",
                                  "t - 3*u - 5",
                                  "t + (u + v)",
                                  "-t + u",
                                  "4*(t + u)",
                                  "t/4/2",
                                  "4*t/8",
                                  "4*(t/8)",
                                  "t % [2*W]",
                                  "k/2",
                                  "-H/2",
                                  "i + r - k/2",
                                  "min(t, max(u, 3))",
                                  "t < u",
                                  "t <= u",
                                  "t == u",
                                  "t != u",
                                  "t < u && u < v",
                                  "t < u && (u < v || v == 1)",
                                  "!(t < u && u < v)",
                                  "!(t <= u)",
                                  "1*t",
                                  "0*t"};

TEST_F(TextTest, WhatIsPrintedIsReadBack) {
  for (const char* text : kTexts) EXPECT_EQ(print(*cx, read(text)), text);
}

TEST_F(TextTest, EveryNodeIsAmongThem) {
  std::set<Kind> seen;
  const std::function<void(Expr)> visit = [&](Expr e) {
    seen.insert(e->kind);
    if (info(e->kind).operands >= 1) visit(e->a);
    if (info(e->kind).operands == 2) visit(e->b);
  };
  for (const char* text : kTexts) visit(read(text));
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kNodeKinds));
}

TEST_F(TextTest, OtherWaysToWriteTheSame) {
  EXPECT_EQ(read("t*4"), read("4*t"));
  EXPECT_EQ(read("u > t"), read("t < u"));
  EXPECT_EQ(read("u >= t"), read("t <= u"));
  EXPECT_EQ(read("t/(2*W)"), read("t/[2*W]"));
  EXPECT_NE(read("Ci/g"), read("[Ci/g]")) << "floor division is not the exact quotient";
}

TEST_F(TextTest, RefusesWhatIsNotQuasiAffine) {
  EXPECT_EQ(refusal("t*u"), Reason::NotQuasiAffine);
  EXPECT_EQ(refusal("t/u"), Reason::NotQuasiAffine);
  EXPECT_EQ(refusal("t/0"), Reason::NotQuasiAffine);
  EXPECT_EQ(refusal("t % -4"), Reason::NotQuasiAffine);
}

TEST_F(TextTest, RefusesPredicatesAsIndicesAndTheOtherWayRound) {
  EXPECT_EQ(refusal("t + (t < u)"), Reason::WrongOperand);
  EXPECT_EQ(refusal("t && u"), Reason::WrongOperand);
  EXPECT_EQ(refusal("!t"), Reason::WrongOperand);
  EXPECT_EQ(refusal("-(t < u)"), Reason::WrongOperand);
  EXPECT_EQ(refusal("min(true, t)"), Reason::WrongOperand);
}

TEST_F(TextTest, RefusesTextThatIsNoExpression) {
  EXPECT_EQ(parse(*cx, "t +").rejection().message(),
            "line 1, column 4: expected an expression, found the end");
  EXPECT_EQ(refusal("t u"), Reason::BadSyntax);
  EXPECT_EQ(refusal("min(t)"), Reason::BadSyntax);
  EXPECT_EQ(refusal("t $ u"), Reason::BadSyntax);
  EXPECT_EQ(refusal("nobody + 1"), Reason::UnknownName);
  EXPECT_EQ(refusal("99999999999999999999"), Reason::BadSyntax);
  EXPECT_EQ(refusal("k^200"), Reason::SizePowerRange);
}

TEST_F(TextTest, RefusesDepthInsteadOfExhaustingTheStack) {
  EXPECT_EQ(refusal(std::string(100'000, '(')), Reason::TooDeep);
  EXPECT_EQ(refusal(std::string(100'000, '-')), Reason::TooDeep);
  std::string sum = "t";
  for (int n = 0; n < 5000; ++n) sum += " + t/2";
  EXPECT_EQ(refusal(sum), Reason::TooDeep);
}

}  // namespace
}  // namespace cambium::expr
