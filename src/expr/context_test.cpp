#include "expr/context.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/expr_testing.h"

namespace cambium::expr {
namespace {

class ContextTest : public testing::Test, protected ExprFixture {};

TEST_F(ContextTest, TheSameExpressionIsTheSameNode) {
  Expr t = read("t");
  Expr one = cx->constant(1);
  EXPECT_EQ(add(*cx, t, one), add(*cx, t, one));
  EXPECT_NE(add(*cx, t, one), add(*cx, one, t)) << "nothing is simplified when building";
  EXPECT_EQ(cx->constant(Size(4)), cx->constant(4));
  EXPECT_EQ(cx->find(Kind::Min, t, one), nullptr);
  Expr lesser = min(*cx, t, one);
  EXPECT_EQ(cx->find(Kind::Min, t, one), lesser);
}

TEST_F(ContextTest, ConstantsMultiplyAtOnce) {
  EXPECT_EQ(read("2*(3*t)"), read("6*t"));
  EXPECT_EQ(read("2*W*3"), read("6*W"));
  EXPECT_EQ(read("-(2*t)"), read("-2*t"));
}

TEST_F(ContextTest, AProductThatDoesNotFitStaysAProduct) {
  const Expr large = mul(*cx, read("t"), Monomial::of(INT64_MAX));
  const Expr product = mul(*cx, large, Monomial::of(4));
  EXPECT_EQ(product->kind, Kind::Mul);
  EXPECT_EQ(product->a, large);
  EXPECT_EQ(simplify(*cx, product), product) << "left as it is";
  EXPECT_EQ(read(print(*cx, product)), product);
}

TEST_F(ContextTest, ManyNodesAreFoundAgain) {
  std::vector<Expr> made;
  for (int n = 0; n < 5000; ++n) made.push_back(add(*cx, read("t"), cx->constant(n)));
  for (int n = 0; n < 5000; ++n) {
    EXPECT_EQ(add(*cx, read("t"), cx->constant(n)), made[static_cast<std::size_t>(n)]);
  }
  EXPECT_GT(cx->bytes(), 5000 * sizeof(Node));
}

TEST_F(ContextTest, FingerprintsAreEqualAcrossContextsAndTellNodesApart) {
  ExprFixture other;
  (void)other.read("max(t, 3)");  // another order of construction
  EXPECT_EQ(read("(4*t + ii)/8 % W")->fingerprint, other.read("(4*t + ii)/8 % W")->fingerprint);
  EXPECT_NE(read("t/8")->fingerprint, read("t % 8")->fingerprint);
  EXPECT_NE(read("t - ii")->fingerprint, read("ii - t")->fingerprint);
  EXPECT_NE(cx->boolean(true)->fingerprint, cx->boolean(false)->fingerprint);
}

TEST_F(ContextTest, AnAxisIsItsNameAndExtent) {
  Expr n = read("n");
  EXPECT_EQ(*cx->axis("n", Size(64)), n);
  EXPECT_NE(*cx->axis("n", Size(65)), n);
  EXPECT_EQ(parse(*cx, "n + 1").rejection().reason(), Reason::AmbiguousName)
      << "which of the two is not guessed";
  EXPECT_EQ(cx->axis("W", Size(65)).rejection().reason(), Reason::NameTaken) << "a size";
  EXPECT_EQ(cx->axis("7up", Size(65)).rejection().reason(), Reason::BadName);
  EXPECT_EQ(cx->axis("min", Size(65)).rejection().reason(), Reason::BadName);
  EXPECT_EQ(cx->find_axis("nobody"), nullptr);
}

TEST_F(ContextTest, AnExtentMayBeAnyExpressionOfSizes) {
  Expr outer = *cx->axis("i.o", read("(H + 3)/4"));
  EXPECT_EQ(outer->range.lo, 0);
  EXPECT_EQ(simple("4*i.o < H + 3"), "true");
  EXPECT_EQ(simple("4*i.o + ii < H"), "4*i.o + ii < H") << "the tail needs its guard";
}

TEST_F(ContextTest, BindingsNarrowWhatIsKnown) {
  ExprFixture bound({"Ci=64, H=56, W=56, k=3, s=1, g=8", "Ci=96, H=28, W=28, k=3, s=2, g=8"});
  EXPECT_EQ(bound.read("Ci")->range, (Interval{64, 96}));
  EXPECT_EQ(bound.simple("r < 3"), "true");
  EXPECT_EQ(simple("r < 3"), "r < 3");
  EXPECT_EQ(bound.simple("(i*Ci + c)/g"), "[Ci/g]*i + c/g") << "g divides Ci in both";
  EXPECT_EQ(simple("(i*Ci + c)/g"), "(Ci*i + c)/g");
}

}  // namespace
}  // namespace cambium::expr
