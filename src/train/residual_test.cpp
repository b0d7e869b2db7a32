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

}  // namespace
}  // namespace cambium::train
