#include "model/receptive_field.h"

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::model {
namespace {

struct Net {
  Builder b{"m"};

  Value image(std::int64_t size) { return b.input("x", {DType::F32, {1, 4, size, size}}); }
  Value conv(Value x, std::int64_t kernel, std::int64_t stride, std::int64_t dilation = 1) {
    const Tensor w = Tensor::lazy({DType::F32, {4, 4, kernel, kernel}}, Fill{});
    const std::int64_t pad = dilation * (kernel - 1) / 2;
    return b.add(Conv{{stride, stride}, {pad, pad, pad, pad}, {dilation, dilation}, 1},
                 {x, b.weight("w", w)});
  }
  ReceptiveField field_at(Value y) && {
    b.output("y", y);
    const Model model = std::move(b).finish().value();
    const auto fields = receptive_fields(model);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (model.nodes()[i]->id == y.node) return fields[i];
    }
    return {};
  }
};

using Fields = ReceptiveField;

TEST(ReceptiveField, GrowsByKernelTimesJumpAndDilation) {
  Net net;
  Value x = net.conv(net.image(64), 7, 2);  // 7, jump 2
  x = net.conv(x, 3, 2);                    // 7 + 2*2 = 11, jump 4
  x = net.conv(x, 3, 1, 2);                 // 11 + 4*4 = 27
  EXPECT_EQ(std::move(net).field_at(x), (Fields{{27, 4}, {27, 4}}));
}

TEST(ReceptiveField, PathsThatMeetGiveTheWidest) {
  Net net;
  const Value x = net.conv(net.image(16), 3, 1);
  const Value y = net.b.add(Binary{}, {x, net.conv(x, 5, 1)});
  EXPECT_EQ(std::move(net).field_at(y), (Fields{{7, 1}, {7, 1}}));
}

TEST(ReceptiveField, UndefinedWherePathsOfDifferentJumpMeet) {
  Net net;
  const Value x = net.image(16);
  const Value strided = net.conv(x, 1, 2);
  const Value corner = net.b.add(Slice{{0, 0, 0, 0}, {1, 4, 8, 8}, {1, 1, 1, 1}}, {x});
  EXPECT_TRUE(std::move(net).field_at(net.b.add(Binary{}, {strided, corner})).empty());
}

TEST(ReceptiveField, ChannelAttentionSeesTheWholeImage) {
  Net net;
  const Value x = net.conv(net.image(16), 3, 1);
  const Value mean = net.b.add(Reduce{ReduceFn::Mean, {2, 3}, true}, {x});
  const Value scaled = net.b.add(Binary{BinaryFn::Mul}, {x, net.conv(mean, 1, 1)});
  EXPECT_EQ(std::move(net).field_at(scaled), (Fields{{18, 1}, {18, 1}}));
}

TEST(ReceptiveField, UndefinedBehindAReshape) {
  Net net;
  const Value flat = net.b.add(Reshape{{1, 4, 256}}, {net.image(16)});
  EXPECT_TRUE(std::move(net).field_at(net.b.add(Unary{}, {flat})).empty());
}

TEST(ReceptiveField, UndefinedWithoutSpatialAxes) {
  Net net;
  const Value x = net.b.input("x", {DType::F32, {4, 4}});
  EXPECT_TRUE(std::move(net).field_at(net.b.add(Unary{}, {x})).empty());
}

}  // namespace
}  // namespace cambium::model
