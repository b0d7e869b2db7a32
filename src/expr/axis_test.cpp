#include <gtest/gtest.h>

#include "expr/context.h"
#include "expr/text.h"

namespace cambium::expr {
namespace {

TEST(Axis, IsKnownByNameAndExtent) {
  Context cx;
  Expr four = cx.axis("i", cx.constant(4)).value();
  Expr eight = cx.axis("i", cx.constant(8)).value();
  EXPECT_NE(four, eight);
  EXPECT_EQ(cx.axis("i", cx.constant(4)).value(), four);
  EXPECT_EQ(eight->range, (Interval{0, 7}));
  EXPECT_EQ(cx.count_axes("i"), 2u);
}

TEST(Axis, OfOneNameAndTwoExtentsIsAmbiguousInText) {
  Context cx;
  Expr four = cx.axis("i", cx.constant(4)).value();
  EXPECT_EQ(parse(cx, "i").value(), four);
  ASSERT_TRUE(cx.axis("i", cx.constant(8)).ok());
  EXPECT_EQ(parse(cx, "i").rejection().reason(), Reason::AmbiguousName);
  EXPECT_EQ(parse(cx, "i + 1", [&](std::string_view) { return four; }).value(),
            add(cx, four, cx.constant(1)));
}

TEST(Axis, IsFoundAgainAmongThousands) {
  Context cx;
  std::vector<Expr> axes;
  for (int i = 0; i < 5000; ++i) {
    axes.push_back(cx.axis("i" + std::to_string(i % 50), cx.constant(1 + i)).value());
  }
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(cx.axis("i" + std::to_string(i % 50), cx.constant(1 + i)).value(),
              axes[static_cast<std::size_t>(i)]);
  }
}

}  // namespace
}  // namespace cambium::expr
