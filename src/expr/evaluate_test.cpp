#include "expr/evaluate.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"
#include "expr/substitute.h"

namespace cambium::expr {
namespace {

class EvaluateTest : public testing::Test, protected ExprFixture {
 protected:
  Result<std::int64_t> value(std::string_view text, std::int64_t t, std::int64_t u = 0) {
    const std::vector<AxisValue> axes{{read("t"), t}, {read("u"), u}};
    return evaluate(read(text), axes, *cx->sizes().parse_binding("Ci=64, H=7, W=5, k=3, s=2, g=8"));
  }
};

TEST_F(EvaluateTest, DivisionRoundsTowardMinusInfinity) {
  EXPECT_EQ(*value("t/4", 7), 1);
  EXPECT_EQ(*value("(t - 8)/4", 7), -1);
  EXPECT_EQ(*value("(t - 8) % 4", 7), 3);
  EXPECT_EQ(*value("(t - 12)/4", 4), -2);
  EXPECT_EQ(*value("(t - 12) % 4", 4), 0);
}

TEST_F(EvaluateTest, SizesAreWorthTheirBinding) {
  EXPECT_EQ(*value("[Ci/g]*t + k/2", 3), 25);
  EXPECT_EQ(*value("-2*W", 0), -10);
  EXPECT_EQ(value("[H/s]", 0).rejection().reason(), Reason::SizeNotInteger);
}

TEST_F(EvaluateTest, PredicatesAreZeroOrOne) {
  EXPECT_EQ(*value("t < u && !(t == 1)", 0, 1), 1);
  EXPECT_EQ(*value("t < u || t == 5", 5, 1), 1);
  EXPECT_EQ(*value("max(t, u) != min(t, u)", 5, 5), 0);
  EXPECT_EQ(*value("true", 0), 1);
}

TEST_F(EvaluateTest, RefusesAnAxisWithoutValue) {
  EXPECT_EQ(evaluate(read("t + 1"), {}).rejection().message(), "axis 't' has no value");
}

TEST_F(EvaluateTest, RefusesWhatDoesNotFit) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(value("t + 1", kMost).rejection().reason(), Reason::IndexOverflow);
  EXPECT_EQ(value("2*t", kMost).rejection().reason(), Reason::IndexOverflow);
}

TEST_F(EvaluateTest, SubstitutionReplacesAllAxesAtOnce) {
  const std::vector<Replacement> exchange{{read("t"), read("u")}, {read("u"), read("t")}};
  EXPECT_EQ(substitute(*cx, read("t - 2*u"), exchange), read("u - 2*t"));
  const std::vector<Replacement> split{{read("n"), read("4*io + ii")}};
  EXPECT_EQ(print(*cx, simplify(*cx, substitute(*cx, read("n/4*4 + n % 4"), split))), "4*io + ii");
}

TEST_F(EvaluateTest, SubstitutionLeavesWhatHoldsNoneOfTheAxes) {
  Expr e = read("max(u/3, 4)");
  const std::vector<Replacement> other{{read("t"), read("v")}};
  EXPECT_EQ(substitute(*cx, e, other), e);
  const std::vector<Replacement> number{{read("t"), cx->constant(5)}};
  EXPECT_EQ(substitute(*cx, read("3*t"), number), cx->constant(15));
}

}  // namespace
}  // namespace cambium::expr
