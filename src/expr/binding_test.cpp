#include "expr/binding.h"

#include <limits>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "expr/size_table.h"

namespace cambium::expr {
namespace {

class BindingTest : public testing::Test {
 protected:
  BindingTest() {
    for (const char* name : {"C", "H"}) EXPECT_TRUE(table_.add_primary(name).ok());
    for (const char* name : {"k", "g"}) EXPECT_TRUE(table_.add_coefficient(name).ok());
    for (const char* text : {"C=64, H=56, k=3, g=8", "C=96, H=28, k=3, g=8"}) {
      bindings_.push_back(*table_.parse_binding(text));
    }
  }
  Size size(std::string_view text) const { return *table_.parse(text); }

  SizeTable table_;
  std::vector<Binding> bindings_;
};

TEST_F(BindingTest, EvaluatesProductsAndExactQuotients) {
  EXPECT_EQ(*evaluate(size("k^2*C/g"), bindings_[0]), 72);
  EXPECT_EQ(*evaluate(size("k^2*C/g"), bindings_[1]), 108);
  EXPECT_EQ(*evaluate(Size(7), Binding{}), 7) << "a number needs no binding";
}

TEST_F(BindingTest, RefusesAQuotientThatIsNoInteger) {
  const auto refused = evaluate(size("H/k"), bindings_[0]);
  EXPECT_EQ(refused.rejection().reason(), Reason::SizeNotInteger);
  EXPECT_EQ(*evaluate_ratio(size("H/k"), bindings_[0]), (Ratio{56, 3}));
}

TEST_F(BindingTest, RefusesAVariableWithoutValue) {
  EXPECT_EQ(evaluate(size("H"), Binding{}).rejection().reason(), Reason::SizeUnbound);
}

TEST_F(BindingTest, RefusesValuesThatAreNotPositive) {
  Binding binding;
  EXPECT_EQ(binding.set({0}, 0).rejection().reason(), Reason::SizeNotPositive);
  EXPECT_FALSE(binding.has({0}));
}

TEST_F(BindingTest, RefusesOverflowButNotAnIntermediateOne) {
  Binding huge;
  ASSERT_TRUE(huge.set({0}, std::numeric_limits<std::int64_t>::max()).ok());
  ASSERT_TRUE(huge.set({kMaxPrimary}, std::numeric_limits<std::int64_t>::max()).ok());
  EXPECT_EQ(evaluate(size("2*C"), huge).rejection().reason(), Reason::SizeOverflow);
  EXPECT_EQ(*evaluate(size("2*C/k"), huge), 2);
}

TEST_F(BindingTest, BoundsAreOverAllBindings) {
  const SizeBounds found = *bounds(size("C/H"), bindings_);
  EXPECT_EQ(found.min, (Ratio{8, 7}));
  EXPECT_EQ(found.max, (Ratio{24, 7}));
  EXPECT_EQ(found.min.floor(), 1);
  EXPECT_EQ(found.min.ceil(), 2);
}

TEST_F(BindingTest, OneBindingThatFailsRefusesAndIsNamed) {
  EXPECT_TRUE(require_integer(size("C/g"), bindings_).ok());
  EXPECT_TRUE(require_integer(size("C/g^2"), bindings_).rejection().reason() ==
              Reason::SizeNotInteger);
  const Status refused = require_integer(size("C/g^2"), bindings_);
  EXPECT_EQ(refused.rejection().message(), "the size is 3/2, not an integer (binding 1)");
}

TEST_F(BindingTest, DivisibilityIsOverAllBindings) {
  EXPECT_TRUE(require_divides(size("g"), size("C"), bindings_).ok());
  EXPECT_TRUE(require_divides(Size(32), size("C"), bindings_).ok());
  const Status refused = require_divides(Size(64), size("C"), bindings_);
  EXPECT_EQ(refused.rejection().reason(), Reason::SizeNotDivisible);
  EXPECT_EQ(refused.rejection().number(2), 1) << "C=96 is in binding 1";
  EXPECT_TRUE(require_divides(size("H/g"), size("H"), bindings_).ok())
      << "28/8 is no integer, but 28 / (28/8) is";
}

}  // namespace
}  // namespace cambium::expr
