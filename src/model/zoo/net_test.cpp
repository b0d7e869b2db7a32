#include "model/zoo/net.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/zoo/transformer.h"

namespace cambium::model::zoo {
namespace {

TEST(Net, SamePaddingPutsTheOddRestAtTheEnd) {
  Net net("m", {});
  const Value x = net.input_image(3, 32);
  const Value y = net.conv(x, "c", {.out = 4, .kernel = 3, .stride = 2, .padding = Padding::Same});
  EXPECT_EQ(net.builder().node(y.node).as<Conv>()->pads, (Ints{0, 0, 1, 1}));
  EXPECT_EQ(net.dims(y), (Ints{1, 4, 16, 16}));
}

TEST(Net, WeightsFollowTheUsualLawsByName) {
  Net net("m", {});
  const Value x = net.input_image(3, 8);
  const Value a = net.conv(x, "a", {.out = 32, .kernel = 3});
  const Value b = net.conv(x, "b", {.out = 32, .kernel = 3});
  const auto fill_of = [&](Value conv) {
    return *net.builder().weight_of(net.builder().node(conv.node).inputs[1])->fill();
  };
  EXPECT_EQ(fill_of(a).law, Fill::Law::Normal);
  EXPECT_DOUBLE_EQ(fill_of(a).scale, std::sqrt(2.0 / (9 * 32)));
  EXPECT_NE(fill_of(a).seed, fill_of(b).seed);
}

TEST(Net, LinearOnTokensIsAMatmulAndOnMatricesAGemm) {
  Net net("m", {});
  const Value tokens = net.builder().input("x", {DType::F32, {2, 5, 8}});
  const Value rows = net.builder().input("y", {DType::F32, {2, 8}});
  EXPECT_EQ(net.dims(net.linear(tokens, "a", 6)), (Ints{2, 5, 6}));
  EXPECT_NE(net.builder().node(net.linear(rows, "b", 6).node).as<Gemm>(), nullptr);
}

TEST(Net, AddsLayersToANetworkThatIsThere) {
  Net first("m", {});
  first.output(first.conv(first.input_image(3, 8), "a", {.out = 4}));
  const Model base = std::move(first).finish().value();
  Net net(base);
  const Value old = base.outputs()[0].value;
  const Value fresh = net.conv(old, "b", {.out = 6});
  net.builder().replace_except(old, fresh, fresh.node);
  const Model edited = std::move(net).finish().value();
  EXPECT_EQ(edited.type(edited.outputs()[0].value).dims, (Ints{1, 6, 8, 8}));
  EXPECT_EQ(edited.outputs()[0].name, "logits");
  EXPECT_EQ(edited.node(edited.outputs()[0].value.node).inputs[0], old);
}

TEST(Net, AMistakeComesOutOfFinish) {
  Net net("m", {});
  const Value x = net.input_image(3, 8);
  net.output(net.conv(x, "c", {.out = 4, .kernel = 11, .padding = Padding::None}));
  EXPECT_FALSE(std::move(net).finish().ok());
}

TEST(Transformer, CausalMaskHidesLaterTokens) {
  Net net("m", {});
  const Value mask = causal_mask(net, 3);
  const auto seen = net.builder().weight_of(mask)->as<bool>();
  EXPECT_EQ(std::vector<bool>(seen.begin(), seen.end()),
            (std::vector<bool>{true, false, false, true, true, false, true, true, true}));
}

TEST(Transformer, AttentionKeepsTheShape) {
  Net net("m", {});
  const Value x = net.builder().input("x", {DType::F32, {2, 7, 24}});
  for (const bool joint : {true, false}) {
    const Value y = attention(net, x, "attn", {.heads = 3, .joint = joint});
    EXPECT_EQ(net.dims(y), (Ints{2, 7, 24}));
  }
}

}  // namespace
}  // namespace cambium::model::zoo
