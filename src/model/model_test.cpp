#include "model/model.h"

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::model {
namespace {

TEST(Model, FindsNodesTypesAndWeights) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {4}});
  const Value w = b.weight("w", Tensor::of<float>({4}, {1, 2, 3, 4}));
  const Value dead = b.add(Unary{UnaryFn::Exp}, {x});
  const Value y = b.add(Binary{BinaryFn::Add}, {x, w});
  b.output("y", y);
  const Model model = std::move(b).finish().value();
  EXPECT_TRUE(model.contains(y.node));
  EXPECT_FALSE(model.contains(dead.node));
  EXPECT_FALSE(model.contains(NodeId{}));
  EXPECT_FALSE(model.contains(NodeId{99}));
  EXPECT_EQ(model.weight(x), nullptr);
  EXPECT_EQ(model.weight(w)->as<float>()[2], 3);
  EXPECT_EQ(model.node(y.node).as<Binary>()->fn, BinaryFn::Add);
  EXPECT_EQ(model.node(y.node).as<Unary>(), nullptr);
}

TEST(Uses, NameEveryReader) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {4}});
  const Value parts = b.add(Split{0, {1, 3}}, {x});
  const Value second{parts.node, 1};
  const Value square = b.add(Binary{BinaryFn::Mul}, {second, second});
  b.output("y", square);
  b.output("z", second);
  const Model model = std::move(b).finish().value();
  const Uses uses(model);
  EXPECT_TRUE(uses.of(parts).empty());
  ASSERT_EQ(uses.of(second).size(), 3u);
  EXPECT_EQ(uses.of(second)[0].node, square.node);
  EXPECT_EQ(uses.of(second)[1].input, 1u);
  EXPECT_FALSE(uses.of(second)[2].node.valid());
  EXPECT_EQ(uses.of(second)[2].input, 1u);
  ASSERT_EQ(uses.of(square).size(), 1u);
}

}  // namespace
}  // namespace cambium::model
