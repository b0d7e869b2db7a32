#include "model/dot.h"

#include <gtest/gtest.h>

#include "model/text.h"

namespace cambium::model {
namespace {

TEST(Dot, DrawsBlocksAsClustersAndLeavesWeightsOut) {
  const auto model = parse_text(R"(cambium model 1 "say \"m\""
    block @0 "layer1" "linear"
    %0 "x" = input : f32[1, 2]
    %1 "w" = weight [1, 2, 3, 4] : f32[2, 2]
    %2 "product" = matmul(%0, %1) : f32[1, 2] @0
    output "y" = %2)");
  ASSERT_TRUE(model.ok()) << model.rejection().message();
  EXPECT_EQ(to_dot(*model), R"DOT(digraph "say \"m\"" {
  node [shape=box, fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=9];
  n0 [label="input\nx", shape=ellipse];
  subgraph cluster_0 {
    label="layer1 (linear)";
    n2 [label="matmul\nproduct\nf32[2, 2]"];
  }
  out0 [label="y", shape=ellipse];
  n0 -> n2 [label="f32[1, 2]"];
  n2 -> out0 [label="f32[1, 2]"];
}
)DOT");
}

}  // namespace
}  // namespace cambium::model
