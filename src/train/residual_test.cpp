#include "train/residual.h"

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/zoo/zoo.h"

namespace cambium::train {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): many operators are named

TEST(BranchEnds, AreTheDeeperSidesOfAdditions) {
  Builder b("block");
  const Value x = b.input("x", {DType::F32, {2, 2}});
  const Value bias = b.weight("bias", Tensor::lazy({DType::F32, {2}}, {}));
  const Value shifted = b.add(Binary{BinaryFn::Add}, {x, bias});
  const Value branch = b.add(Unary{UnaryFn::Relu}, {b.add(Unary{UnaryFn::Tanh}, {shifted})});
  const Value shortcut = b.add(Unary{UnaryFn::Neg}, {shifted});
  b.output("y", b.add(Binary{BinaryFn::Add}, {shortcut, branch}));
  const Model model = std::move(b).finish().value();
  EXPECT_EQ(branch_ends(model), std::vector<Value>{branch});
}

TEST(BranchEnds, AreOnePerBlockOfAResidualNetwork) {
  const auto model = zoo::build("resnet18");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(branch_ends(*model).size(), 8u);
}

// concat(x, relu(tanh(x))) in a block, then a concatenation outside of blocks.
TEST(DenseBranchEnds, AreTheInputsThatABlockComputes) {
  Builder b("dense");
  const Value x = b.input("x", {DType::F32, {1, 4}});
  b.begin_block("layer", "dense");
  const Value branch = b.add(Unary{UnaryFn::Relu}, {b.add(Unary{UnaryFn::Tanh}, {x})});
  const Value table = b.weight("table", Tensor::lazy({DType::F32, {1, 4}}, {}));
  const Value joined = b.add(Concat{1}, {x, branch, table});
  b.end_block();
  const Value apart = b.add(Unary{UnaryFn::Neg}, {joined});
  b.output("y", b.add(Concat{1}, {joined, apart}));
  const Model model = std::move(b).finish().value();
  EXPECT_EQ(dense_branch_ends(model), std::vector<Value>{branch});
  EXPECT_TRUE(branch_ends(model).empty());
}

// 6 + 12 + 36 + 24 layers; the transitions between them concatenate nothing.
TEST(DenseBranchEnds, AreOnePerLayerOfADenseNetwork) {
  const auto model = zoo::build("densenet161-cifar");
  ASSERT_TRUE(model.ok()) << model.rejection().message();
  const std::vector<Value> ends = dense_branch_ends(*model);
  ASSERT_EQ(ends.size(), 78u);
  for (const Value end : ends) {
    EXPECT_NE(model->node(end.node).as<Conv>(), nullptr);
    EXPECT_TRUE(model->node(end.node).name.ends_with(".conv2")) << model->node(end.node).name;
  }
  EXPECT_TRUE(branch_ends(*model).empty());
  EXPECT_TRUE(dense_branch_ends(*zoo::build("resnet18")).empty());
}

}  // namespace
}  // namespace cambium::train
