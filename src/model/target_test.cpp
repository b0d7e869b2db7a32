#include "model/target.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::model {
namespace {

struct TargetNet {
  Builder b{"m"};
  int count = 0;

  Value image(Ints dims) { return b.input("x", {DType::F32, std::move(dims)}); }
  Value weight(Ints dims) {
    return b.weight("w" + std::to_string(count++), Tensor::lazy({DType::F32, std::move(dims)}, {}));
  }
  Value conv(Value x, std::int64_t out, Ints kernel, Ints strides, Ints pads,
             std::int64_t groups = 1, std::int64_t dilation = 1) {
    Ints dims{out, b.type(x).dims[1] / groups};
    dims.insert(dims.end(), kernel.begin(), kernel.end());
    const Ints dilations(kernel.size(), dilation);
    return b.add(Conv{std::move(strides), std::move(pads), dilations, groups}, {x, weight(dims)},
                 "conv" + std::to_string(count));
  }
  Value conv3(Value x, std::int64_t out, std::int64_t stride = 1) {
    return conv(x, out, {3, 3}, {stride, stride}, {1, 1, 1, 1});
  }
  Model done(Value y) {
    b.output("y", y);
    return std::move(b).finish().value();
  }
};

std::vector<Target> chosen(const Model& model, const char* selector) {
  auto targets = select(model, selector);
  EXPECT_TRUE(targets.ok()) << targets.rejection().message();
  return targets.ok() ? std::move(targets).value() : std::vector<Target>{};
}

std::vector<std::string> bindings(const Target& target) {
  std::vector<std::string> out;
  for (const Site& site : target.sites) out.push_back(target.sizes.print(site.binding));
  return out;
}

using Texts = std::vector<std::string>;

TEST(Target, ConvolutionsOfOneRelationShareATargetWithABindingEach) {
  TargetNet net;
  Value x = net.conv3(net.image({1, 3, 8, 8}), 16);
  x = net.conv(x, 32, {1, 1}, {1, 1}, {0, 0, 0, 0});
  const auto targets = chosen(net.done(x), "conv:*");
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0].text(), "conv [N, Ci, H, W] -> [N, Co, H, W]");
  EXPECT_EQ(bindings(targets[0]),
            (Texts{"N=1, Ci=3, Co=16, H=8, W=8, k=3", "N=1, Ci=16, Co=32, H=8, W=8, k=1"}));
}

TEST(Target, StrideIsPartOfTheRelation) {
  TargetNet net;
  Value x = net.conv3(net.image({1, 3, 16, 16}), 8);
  x = net.conv3(net.conv3(x, 8, 2), 8, 2);
  const auto targets = chosen(net.done(x), "conv:k=3");
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[1].text(), "conv [N, Ci, s*H, s*W] -> [N, Co, H, W]");
  EXPECT_EQ(bindings(targets[1]),
            (Texts{"N=1, Ci=8, Co=8, H=8, W=8, k=3, s=2", "N=1, Ci=8, Co=8, H=4, W=4, k=3, s=2"}));
}

TEST(Target, InputThatIsNoMultipleOfTheStrideHasItsOwnSize) {
  TargetNet net;
  const Value x = net.conv3(net.image({1, 3, 7, 8}), 8, 2);  // 7 -> 4, 8 -> 4
  const auto targets = chosen(net.done(x), "conv:*");
  EXPECT_EQ(targets[0].text(), "conv [N, Ci, Hi, s*W] -> [N, Co, H, W]");
  EXPECT_EQ(bindings(targets[0]), (Texts{"N=1, Ci=3, Co=8, H=4, Hi=7, W=4, k=3, s=2"}));
}

TEST(Target, UnpaddedConvolutionKeepsItsStrideInTheBinding) {
  TargetNet net;
  const Value x = net.conv(net.image({1, 3, 9, 9}), 8, {3, 3}, {2, 2}, {0, 0, 0, 0});
  const auto targets = chosen(net.done(x), "conv:*");
  EXPECT_EQ(targets[0].text(), "conv [N, Ci, Hi, Wi] -> [N, Co, H, W]");
  EXPECT_EQ(bindings(targets[0]), (Texts{"N=1, Ci=3, Co=8, H=4, Hi=9, W=4, Wi=9, k=3, s=2"}));
}

TEST(Target, AxesWithTheirOwnStrideAndKernelHaveTheirOwnNames) {
  TargetNet net;
  Value x = net.conv(net.image({1, 3, 12, 12}), 8, {3, 1}, {2, 3}, {1, 0, 0, 0});
  const auto targets = chosen(net.done(x), "conv:*");
  EXPECT_EQ(targets[0].text(), "conv [N, Ci, sH*H, sW*W] -> [N, Co, H, W]");
  EXPECT_EQ(bindings(targets[0]), (Texts{"N=1, Ci=3, Co=8, H=6, W=4, kH=3, sH=2, sW=3"}));
}

TEST(Target, GroupsAndDilationAreCoefficientsOfEveryPlace) {
  TargetNet net;
  Value x = net.conv(net.image({1, 8, 8, 8}), 8, {3, 3}, {1, 1}, {1, 1, 1, 1}, 4);
  x = net.conv(x, 8, {3, 3}, {1, 1}, {2, 2, 2, 2}, 1, 2);
  const auto targets = chosen(net.done(x), "conv:*");
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(bindings(targets[0]), (Texts{"N=1, Ci=8, Co=8, H=8, W=8, d=1, g=4, k=3",
                                         "N=1, Ci=8, Co=8, H=8, W=8, d=2, g=1, k=3"}));
}

TEST(Target, DepthwiseKeepsOneChannelSize) {
  TargetNet net;
  Value x = net.conv(net.image({1, 8, 8, 8}), 8, {3, 3}, {1, 1}, {1, 1, 1, 1}, 8);
  x = net.conv(x, 16, {3, 3}, {2, 2}, {1, 1, 1, 1}, 8);
  const auto targets = chosen(net.done(x), "conv:depthwise");
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0].text(), "conv [N, C, H, W] -> [N, C, H, W]");
  EXPECT_EQ(targets[1].text(), "conv [N, C, s*H, s*W] -> [N, m*C, H, W]");
}

TEST(Target, OneAndThreeDimensionsHaveTheirNames) {
  TargetNet one;
  EXPECT_EQ(
      chosen(one.done(one.conv(one.image({1, 4, 9}), 4, {3}, {1}, {1, 1})), "conv:*")[0].text(),
      "conv [N, Ci, L] -> [N, Co, L]");
  TargetNet three;
  const Value x = three.conv(three.image({1, 4, 4, 4, 4}), 4, {1, 1, 1}, {2, 2, 2}, Ints(6, 0));
  EXPECT_EQ(chosen(three.done(x), "conv:*")[0].text(),
            "conv [N, Ci, s*D, s*H, s*W] -> [N, Co, D, H, W]");
}

TEST(Target, ConvolutionKnowsItsWeightAndBias) {
  TargetNet net;
  const Value x = net.image({1, 4, 8, 8});
  const Value w = net.weight({4, 4, 1, 1});
  const Value bias = net.weight({4});
  const Conv op{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1};
  const Value y = net.b.add(op, {net.b.add(op, {x, w, bias}), w});
  const auto targets = chosen(net.done(y), "conv:*");
  const Site& site = targets[0].sites[0];
  EXPECT_EQ(site.weights,
            (std::vector<SiteWeight>{{w, site.nodes[0], 1, WeightRole::Weight, true},
                                     {bias, site.nodes[0], 2, WeightRole::Bias, false}}));
  EXPECT_EQ(site.inputs, std::vector<Value>{x});
}

TEST(Target, LinearTakesTheBiasBehindAMatmulAlong) {
  TargetNet net;
  const Value x = net.image({2, 5, 8});
  const Value product = net.b.add(MatMul{}, {x, net.weight({8, 6})}, "qkv");
  const Value sum = net.b.add(Binary{}, {product, net.weight({6})});
  const auto targets = chosen(net.done(sum), "linear:name=*qkv*");
  EXPECT_EQ(targets[0].text(), "linear [N, T, Ci] -> [N, T, Co]");
  EXPECT_EQ(bindings(targets[0]), (Texts{"N=2, T=5, Ci=8, Co=6"}));
  const Site& site = targets[0].sites[0];
  EXPECT_EQ(site.nodes, (std::vector<NodeId>{product.node, sum.node}));
  EXPECT_EQ(site.outputs, std::vector<Value>{sum});
  ASSERT_EQ(site.weights.size(), 2u);
  EXPECT_EQ(site.weights[1].role, WeightRole::Bias);
}

TEST(Target, ATableOverTokensIsNoBias) {
  TargetNet net;
  const Value product = net.b.add(MatMul{}, {net.image({2, 5, 8}), net.weight({8, 6})});
  const auto targets =
      chosen(net.done(net.b.add(Binary{}, {product, net.weight({5, 6})})), "linear:*");
  EXPECT_EQ(targets[0].sites[0].nodes.size(), 1u);
}

TEST(Target, LinearFindsTheWeightOnEitherSideAndTransposed) {
  TargetNet net;
  const Value x = net.image({5, 8});
  Value y = net.b.add(Gemm{1, 1, false, true}, {x, net.weight({6, 8}), net.weight({6})});  // [5, 6]
  y = net.b.add(MatMul{}, {net.weight({7, 5}), y});                                        // [7, 6]
  const auto targets = chosen(net.done(y), "linear:*");
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0].text(), "linear [N, Ci] -> [N, Co]");
  EXPECT_EQ(targets[1].text(), "linear [Ci, N] -> [Co, N]");
}

TEST(Target, ProductsOfTwoActivationsAndScaledOnesAreNoLinearLayers) {
  TargetNet net;
  const Value x = net.image({6, 6});
  const Value y = net.b.add(MatMul{}, {x, x});
  const auto none =
      select(net.done(net.b.add(Gemm{0.5, 1, false, false}, {y, net.weight({6, 6})})), "linear:*");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.rejection().reason(), Reason::NothingSelected);
}

TEST(Target, BlockIsASubgraphWithItsInputsAndOutputs) {
  TargetNet net;
  const Value x = net.image({1, 8, 8, 8});
  net.b.begin_block("layer1.0", "basic");
  const Value y = net.b.add(Binary{}, {net.conv3(net.b.add(Unary{}, {net.conv3(x, 8)}), 8), x});
  net.b.begin_block("layer2.0", "basic");
  const Value z = net.conv3(y, 16, 2);
  net.b.end_block();
  const auto targets = chosen(net.done(net.b.add(Unary{}, {z})), "block:basic");
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0].text(), "block [N, C, H, W] -> [N, C, H, W]");
  EXPECT_EQ(targets[1].text(), "block [N, Ci, s*H, s*W] -> [N, Co, H, W]");
  const Site& site = targets[0].sites[0];
  EXPECT_EQ(site.name, "layer1.0");
  EXPECT_EQ(site.nodes.size(), 4u);
  EXPECT_EQ(site.inputs, std::vector<Value>{x});
  EXPECT_EQ(site.outputs, std::vector<Value>{y});
  EXPECT_EQ(site.weights.size(), 2u);
}

TEST(Target, BlockOfTokensHasItsChannelLast) {
  TargetNet net;
  const Value x = net.image({2, 5, 8});
  net.b.begin_block("h.0", "transformer");
  const Value y = net.b.add(Binary{}, {x, net.b.add(MatMul{}, {x, net.weight({8, 8})})});
  net.b.end_block();
  EXPECT_EQ(chosen(net.done(y), "block:*")[0].text(), "block [N, T, C] -> [N, T, C]");
}

TEST(Target, ABlockThatReadsItsOwnResultBackIsNoPlace) {
  TargetNet net;
  const Value x = net.image({4});
  const std::uint32_t block = net.b.add_block({"loop", "broken"});
  const Value a = net.b.add(Unary{}, {x});
  const Value outside = net.b.add(Unary{}, {a});
  const Value c = net.b.add(Unary{}, {outside});
  net.b.set_block(a.node, block);
  net.b.set_block(c.node, block);
  EXPECT_FALSE(select(net.done(c), "block:*").ok());
}

TEST(Target, NothingSelectedSaysWhatIsThere) {
  TargetNet net;
  net.b.begin_block("layer1.0", "basic");
  const Value x = net.conv3(net.conv3(net.image({1, 3, 8, 8}), 8), 8, 2);
  net.b.end_block();
  const auto none = select(net.done(x), "conv:k=5");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.rejection().reason(), Reason::NothingSelected);
  EXPECT_EQ(none.rejection().message(),
            "selector 'conv:k=5' matches nothing; the model has conv (2): k=3, stride=1|2, "
            "groups=1; block (1): basic (1)");
}

TEST(Target, EmptyTensorsAreRefusedByName) {
  TargetNet net;
  const auto none = select(net.done(net.conv3(net.image({0, 3, 8, 8}), 8)), "conv:*");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.rejection().reason(), Reason::SizeNotPositive);
}

TEST(Target, MoreSizesThanATableHoldsAreRefusedByName) {
  TargetNet net;
  const Value a = net.image({2, 3, 5, 7});
  const Value b = net.b.input("b", {DType::F32, {11, 13, 17}});
  const Value c = net.b.input("c", {DType::F32, {19, 23}});
  net.b.begin_block("wide", "odd");
  const auto flat = [&](Value x) { return net.b.add(Reshape{{net.b.type(x).elements()}}, {x}); };
  const Value y = net.b.add(Concat{0}, {flat(a), flat(b), flat(c)});
  net.b.end_block();
  const auto none = select(net.done(y), "block:odd");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.rejection().reason(), Reason::TooManySizeVars);
  EXPECT_NE(none.rejection().message().find("'wide'"), std::string::npos);
}

}  // namespace
}  // namespace cambium::model
