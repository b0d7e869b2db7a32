#include "shrink.h"

#include <set>

#include <gtest/gtest.h>

#include "program/context.h"
#include "program/walk.h"
#include "zoo_cases.h"

namespace cambium {
namespace {

using model::Ints;

std::vector<Ints> dims_of(const Shrunk& shrunk) {
  std::vector<Ints> dims;
  for (const model::TensorType& type : shrunk.inputs) dims.push_back(type.dims);
  return dims;
}

Shrunk shrunk(const model::Op& op, const std::vector<Ints>& dims) {
  std::vector<model::TensorType> types;
  types.reserve(dims.size());
  for (const Ints& one : dims) types.push_back({DType::F32, one});
  return shrink(op, types).value();
}

TEST(Shrink, KeepsDepthwiseConvolutionsDepthwise) {
  const Shrunk small = shrunk(model::Conv{{2, 2}, {1, 1, 1, 1}, {1, 1}, 96},
                              {{1, 96, 112, 112}, {96, 1, 3, 3}, {96}});
  EXPECT_EQ(std::get<model::Conv>(small.op).groups, 6);
  EXPECT_EQ(dims_of(small), (std::vector<Ints>{{1, 6, 6, 6}, {6, 1, 3, 3}, {6}}));
}

TEST(Shrink, KeepsTheRestThatAStrideLeaves) {
  const model::Conv op{{2, 2}, {0, 0, 1, 1}, {1, 1}, 1};
  EXPECT_EQ(shrunk(op, {{1, 3, 224, 225}, {32, 3, 3, 3}}).inputs[0].dims, (Ints{1, 3, 6, 7}));
}

TEST(Shrink, ReshapesSplitAndMergeTheSameDimensions) {
  const Shrunk split = shrunk(model::Reshape{{1, 197, 3, 6, 64}}, {{1, 197, 1152}});
  EXPECT_EQ(std::get<model::Reshape>(split.op).dims, (Ints{1, 7, 3, 4, 4}));
  EXPECT_EQ(split.inputs[0].dims, (Ints{1, 7, 48}));
  const Shrunk merged = shrunk(model::Reshape{{1, 25088}}, {{1, 512, 7, 7}});
  EXPECT_EQ(merged.inputs[0].dims, (Ints{1, 4, 3, 3}));
  EXPECT_EQ(std::get<model::Reshape>(merged.op).dims, (Ints{1, 36}));
}

// Points that a program computes are what the interpreter's time goes by.
TEST(Shrink, LeavesLittleToDoOfEveryOperatorOfTheZoo) {
  const auto cases = zoo_operators();
  ASSERT_TRUE(cases.ok()) << cases.rejection().message();
  std::set<std::string> kinds;
  for (const ZooCase& given : *cases) {
    program::Context cx;
    const auto program = lowered_in_turn(cx, given, 0);
    ASSERT_TRUE(program.ok()) << given.name << ": " << program.rejection().message();
    std::int64_t points = 0;
    for (const program::Site& site : program::sites_of(*program)) {
      std::int64_t own = 1;
      for (const program::Loop* loop : site.loops) own *= loop->extent();
      points += own;
    }
    EXPECT_LE(points, 25'000) << given.name;
    kinds.emplace(model::kind_of(given.model.node(given.nodes[0]).op));
  }
  EXPECT_GE(kinds.size(), 15U);
  for (const char* kind : {"conv", "matmul", "gemm", "batch_norm", "layer_norm", "softmax", "pool",
                           "reduce", "concat", "gather", "reshape", "transpose"}) {
    EXPECT_EQ(kinds.count(kind), 1U) << kind;
  }
}

}  // namespace
}  // namespace cambium
