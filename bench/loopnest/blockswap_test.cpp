#include "loopnest/blockswap.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/operators.h"
#include "model/zoo/zoo.h"

namespace cambium::bench {
namespace {

std::size_t type_named(const std::string& name) {
  const auto types = block_types();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const BlockType& type) { return type.name == name; });
  EXPECT_NE(found, types.end()) << name;
  return static_cast<std::size_t>(found - types.begin());
}

model::Model network(const char* name) {
  return model::zoo::build(name).value();
}

TEST(BlockSwap, HasTheListOfTheAuthors) {
  EXPECT_EQ(block_types().size(), 23u);
  EXPECT_EQ(BlockSwap::make(network("resnet34-cifar"))->blocks(), 16u);
}

TEST(BlockSwap, CountsParametersAsTheNetworkHasThem) {
  for (const char* name : {"resnet34-cifar", "resnext29-2x64d", "densenet161-cifar"}) {
    SCOPED_TRACE(name);
    const model::Model base = network(name);
    const auto swap = BlockSwap::make(base);
    ASSERT_TRUE(swap.ok()) << swap.rejection().message();
    EXPECT_EQ(swap->parameters(BlockChoice(swap->blocks(), 0)), model::cost_of(base).params);
    Rng rng(3);
    for (int i = 0; i < 3; ++i) {
      BlockChoice choice;
      for (std::size_t b = 0; b < swap->blocks(); ++b) {
        const auto& types = swap->types_of(b);
        choice.push_back(types[static_cast<std::size_t>(rng.below(types.size()))]);
      }
      const auto made = swap->network(choice);
      ASSERT_TRUE(made.ok()) << made.rejection().message();
      EXPECT_EQ(swap->parameters(choice), model::cost_of(*made).params);
      EXPECT_EQ(made->type(made->outputs()[0].value), base.type(base.outputs()[0].value));
    }
  }
}

// 64 channels to 64, twice, with the weights of batch norms.
TEST(BlockSwap, TypesHaveTheLayersOfTheAuthors) {
  const auto swap = BlockSwap::make(network("resnet34-cifar"));
  const std::int64_t all = swap->parameters(BlockChoice(16, 0));
  const std::int64_t c = 64, conv = 9 * c * c;
  const auto params_of = [&](const char* type) {
    BlockChoice choice(16, 0);
    choice[0] = type_named(type);
    return (swap->parameters(choice) - all) / 2 + conv;
  };
  EXPECT_EQ(params_of("Conv"), conv);
  EXPECT_EQ(params_of("DConv"), 9 * c + 2 * c + c * c);
  EXPECT_EQ(params_of("DConvG4"), 9 * c * 4 + 2 * c + c * c);
  EXPECT_EQ(params_of("DConvA4"), conv / 4 + 2 * c + c * c);
  EXPECT_EQ(params_of("ConvB2"), c * c / 2 + c + conv / 4 + c + c * c / 2);
  EXPECT_EQ(params_of("A4B2"), c * c / 2 + c + conv / 16 + c + c * c / 2);
  EXPECT_EQ(params_of("G8B4"), c * c / 4 + c / 2 + 9 * 16 * 8 + c / 2 + c * c / 4);
}

TEST(BlockSwap, LayersStayInTheirBlock) {
  const model::Model base = network("densenet161-cifar");
  const auto swap = BlockSwap::make(base);
  BlockChoice choice(swap->blocks(), 0);
  choice[1] = type_named("ConvB2");
  const model::Model made = swap->network(choice).value();
  std::size_t found = 0;
  for (const model::NodePtr& node : made.nodes()) {
    if (node->name.find(".conv1x1_down") == std::string::npos || node->inputs.empty()) continue;
    ++found;
    ASSERT_NE(node->block, model::kNoBlock);
    EXPECT_EQ(made.blocks()[node->block].name, "features.denseblock1.denselayer2");
  }
  EXPECT_EQ(found, 1u);
}

TEST(BlockSwap, LeavesOutTypesThatDoNotDivide) {
  const auto swap = BlockSwap::make(network("densenet161-cifar"));  // 192 to 48 channels
  const auto& types = swap->types_of(0);
  const auto has = [&](const char* name) {
    return std::find(types.begin(), types.end(), type_named(name)) != types.end();
  };
  EXPECT_TRUE(has("A8B2"));
  EXPECT_FALSE(has("A16B2"));
}

TEST(BlockSwap, DrawsNetworksOfASize) {
  const auto swap = BlockSwap::make(network("resnet34-cifar"));
  constexpr std::int64_t kWanted = 8'000'000;
  const auto drawn = swap->draw(50, kWanted, Rng(1));
  ASSERT_TRUE(drawn.ok()) << drawn.rejection().message();
  EXPECT_EQ(drawn->size(), 50u);
  for (const BlockChoice& choice : *drawn) {
    EXPECT_LE(std::abs(swap->parameters(choice) - kWanted), kWanted / 40);
  }
  EXPECT_EQ(*swap->draw(50, kWanted, Rng(1)), *drawn);
  EXPECT_EQ(swap->draw(50, 40'000'000, Rng(1)).rejection().reason(), Reason::NoProposal);
}

TEST(BlockSwap, RefusesANetworkWithoutBlocks) {
  EXPECT_EQ(BlockSwap::make(network("tiny-gpt")).rejection().reason(), Reason::NoProposal);
}

}  // namespace
}  // namespace cambium::bench
