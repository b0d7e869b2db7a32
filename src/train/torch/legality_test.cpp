// Legality by the real Fisher Potential.
#include "train/legality.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/features.h"
#include "model/builder.h"
#include "model/operators.h"
#include "train/legality_testing.h"

namespace cambium::train {
namespace {

using testing::block_diagonal;
using testing::by;
using testing::grouped;
using testing::two_convolutions;

PairedDraws real_draws(const model::Model& original, Hooks hooks) {
  DrawOptions options;
  options.batch = 4;
  options.fisher.hooks = hooks;
  return PairedDraws(original, Minibatches::open("", 1).value(), options, fisher_potential);
}

TEST(FisherLegality, GivesTheSameNetworkTheRatioOne) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  const model::Model original = two_convolutions();
  PairedDraws draws = real_draws(original, Hooks::Convolutions);
  model::WeightOrigin renamed{"another", "w2", {}};
  for (std::int64_t i = 0; i < testing::kChannels * testing::kChannels * 9; ++i) {
    renamed.elements.push_back(i);
  }
  const auto same = legality_of(two_convolutions(1, "another"), std::vector{renamed},
                                by(LegalityOf::Total), draws);
  ASSERT_TRUE(same.ok()) << same.rejection().message();
  EXPECT_EQ(same->verdict, Verdict::Legal);
  EXPECT_EQ(same->change(), 0);
  EXPECT_EQ(same->total.low, 0);
  for (const LayerChange& layer : same->layers) EXPECT_EQ(layer.ratio, 1) << layer.name;
}

// The channels of a bottleneck-like candidate hear less of the image: its score is another one.
TEST(FisherLegality, TellsANetworkFromItsGroupedForm) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  const model::Model original = two_convolutions();
  PairedDraws draws = real_draws(original, Hooks::Convolutions);
  const auto found =
      legality_of(grouped(), std::vector{block_diagonal()}, by(LegalityOf::Total), draws);
  ASSERT_TRUE(found.ok()) << found.rejection().message();
  EXPECT_NE(found->change(), 0);
  EXPECT_EQ(found->layers.size(), 2u);
  EXPECT_TRUE(found->layers[1].is_changed);
}

// Every network would have at least the score of one that has none.
TEST(FisherLegality, RefusesAnOriginalWithoutAnythingToScore) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  const model::Model original = two_convolutions();  // it adds and concatenates nothing
  PairedDraws draws = real_draws(original, Hooks::BlockOutputs);
  for (const model::Model& candidate : {original, grouped()}) {
    const auto found = legality_of(candidate, {}, by(LegalityOf::Total), draws);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.rejection().reason(), Reason::NotPromising);
    EXPECT_NE(found.rejection().message().find("block-outputs"), std::string::npos);
  }
}

// x -> block(concat(x, conv2(relu(conv1(x))))) -> mean -> fc: a layer of DenseNet.
model::Model dense_layer(std::int64_t groups, const std::string& second) {
  model::Builder b(groups == 1 ? "dense" : "grouped");
  const auto later = [](model::Ints dims) {
    return model::Tensor::lazy({DType::F32, std::move(dims)}, {});
  };
  const auto conv = [&](const char* name, model::Value x, const std::string& weight,
                        std::int64_t of) {
    const std::int64_t in = b.type(x).dims[1] / of;
    const model::Value w = b.weight(weight, later({testing::kChannels, in, 3, 3}));
    return b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, of}, {x, w}, name);
  };
  const model::Value image = b.input("x", {DType::F32, {1, 3, 32, 32}});
  const model::Value stem = conv("stem", image, "stem.w", 1);
  b.begin_block("layer", "dense");
  const model::Value inner =
      b.add(model::Unary{model::UnaryFn::Relu}, {conv("conv1", stem, "w1", 1)});
  const model::Value end = conv("conv2", inner, second, groups);
  const model::Value joined = b.add(model::Concat{1}, {stem, end});
  b.end_block();
  const model::Value mean =
      b.add(model::Reduce{model::ReduceFn::Mean, {2, 3}, false}, {joined}, "mean");
  const model::Value rows = b.weight("fc.w", later({2 * testing::kChannels, 10}));
  b.output("y", b.add(model::MatMul{}, {mean, rows}, "fc"));
  return std::move(b).finish().value();
}

// DenseNet adds nothing; the authors' hooks would find nothing in it.
TEST(FisherLegality, ScoresTheEndsOfDenseBranches) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  const model::Model original = dense_layer(1, "w2");
  PairedDraws draws = real_draws(original, Hooks::BlockOutputs);
  const auto found = legality_of(dense_layer(2, "w2.grouped"), std::vector{block_diagonal()},
                                 by(LegalityOf::Layers, 2, 2), draws);
  ASSERT_TRUE(found.ok()) << found.rejection().message();
  ASSERT_EQ(found->layers.size(), 1u) << "the branch has one end";
  EXPECT_EQ(found->layers[0].name, "conv2");
  EXPECT_TRUE(found->layers[0].is_changed);
  EXPECT_NE(found->change(), 0);
  EXPECT_EQ(found->original, found->layers[0].original);
}

}  // namespace
}  // namespace cambium::train
