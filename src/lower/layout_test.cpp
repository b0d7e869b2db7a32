#include "lower/layout.h"

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::lower {
namespace {

TEST(LayoutTest, ChannelsGoBehindTheSpatialDimensions) {
  EXPECT_EQ(channels_last(4), (Order{0, 2, 3, 1}));
  EXPECT_EQ(channels_last(2), (Order{0, 1}));
}

TEST(LayoutTest, ValuesStandAsTheyAreUnlessSaidOtherwise) {
  model::Builder builder("m");
  const model::Value x = builder.input("x", {DType::F32, {1, 2, 3, 4}});
  const model::Value y = builder.add(model::Unary{model::UnaryFn::Exp}, {x});
  builder.output("y", y);
  const model::Model model = std::move(builder).finish().value();
  Layouts layouts;
  layouts.set(x, channels_last(4));
  EXPECT_EQ(layouts.of(x), (Order{0, 2, 3, 1}));
  EXPECT_TRUE(layouts.of(y).empty());
  EXPECT_EQ(layouts.dims_of(model, x), (std::vector<std::int64_t>{1, 3, 4, 2}));
  EXPECT_EQ(layouts.dims_of(model, y), (std::vector<std::int64_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace cambium::lower
