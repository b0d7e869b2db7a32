#include "expr/size_table.h"

#include <string>

#include <gtest/gtest.h>

namespace cambium::expr {
namespace {

class SizeTableTest : public testing::Test {
 protected:
  SizeTableTest() {
    for (const char* name : {"Ci", "Co", "H"}) EXPECT_TRUE(table_.add_primary(name).ok());
    for (const char* name : {"k", "s", "g"}) EXPECT_TRUE(table_.add_coefficient(name).ok());
  }
  SizeTable table_;
};

TEST_F(SizeTableTest, WhatIsPrintedIsReadBack) {
  for (const char* text : {"1", "12", "H", "s*H", "Ci/g", "k^2*H", "1/g", "4*k*Ci/s/g^2"}) {
    const Result<Size> size = table_.parse(text);
    ASSERT_TRUE(size.ok()) << text << ": " << size.rejection().message();
    EXPECT_EQ(table_.print(*size), text);
  }
}

TEST_F(SizeTableTest, ReadsOtherWaysToWriteTheSame) {
  EXPECT_EQ(*table_.parse("H * s"), *table_.parse("s*H"));
  EXPECT_EQ(*table_.parse("Ci*g^-1"), *table_.parse("Ci/g"));
  EXPECT_EQ(*table_.parse("Ci/(g*s)"), *table_.parse("Ci/g/s"));
  EXPECT_EQ(*table_.parse("(2*k)^2"), *table_.parse("4*k^2"));
}

TEST_F(SizeTableTest, RefusesTextThatIsNoSize) {
  EXPECT_EQ(table_.parse("s*").rejection().message(),
            "line 1, column 3: expected a size, found the end");
  EXPECT_EQ(table_.parse("s H").rejection().reason(), Reason::BadSyntax);
  EXPECT_EQ(table_.parse("H+1").rejection().reason(), Reason::BadSyntax);
  EXPECT_EQ(table_.parse("q").rejection().reason(), Reason::UnknownName);
  EXPECT_EQ(table_.parse("0*H").rejection().reason(), Reason::SizeNotPositive);
  EXPECT_EQ(table_.parse("H/2").rejection().reason(), Reason::SizeNotDivisible);
  EXPECT_EQ(table_.parse("H^300").rejection().reason(), Reason::SizePowerRange);
  EXPECT_EQ(table_.parse("99999999999999999999").rejection().reason(), Reason::BadSyntax);
  EXPECT_FALSE(table_.parse(std::string(100'000, '(')).ok()) << "depth is bounded";
}

TEST_F(SizeTableTest, RefusesTakenBadAndTooManyNames) {
  EXPECT_EQ(table_.add_primary("k").rejection().reason(), Reason::NameTaken);
  EXPECT_EQ(table_.add_primary("9k").rejection().reason(), Reason::BadName);
  EXPECT_EQ(table_.add_primary("").rejection().reason(), Reason::BadName);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(table_.add_primary("x" + std::to_string(i)).ok());
  EXPECT_EQ(table_.add_primary("y").rejection().message(),
            "'y': a table holds at most 8 primary variables");
}

TEST_F(SizeTableTest, BindingsRoundTrip) {
  const Binding binding = *table_.parse_binding("k=3,  H=56");
  EXPECT_EQ(binding[*table_.find("H")], 56);
  EXPECT_EQ(table_.print(binding), "H=56, k=3");
  EXPECT_EQ(*table_.parse_binding(table_.print(binding)), binding);
}

TEST_F(SizeTableTest, RefusesBindingsThatSayNothingOrTwoThings) {
  EXPECT_EQ(table_.parse_binding("H=56, H=28").rejection().reason(), Reason::NameTaken);
  EXPECT_EQ(table_.parse_binding("H=0").rejection().reason(), Reason::SizeNotPositive);
  EXPECT_EQ(table_.parse_binding("H").rejection().reason(), Reason::BadSyntax);
  EXPECT_EQ(table_.parse_binding("Q=1").rejection().reason(), Reason::UnknownName);
}

}  // namespace
}  // namespace cambium::expr
