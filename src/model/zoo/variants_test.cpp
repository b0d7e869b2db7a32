#include "model/zoo/variants.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/fingerprint.h"
#include "model/zoo/zoo.h"

namespace cambium::model::zoo {
namespace {

TEST(Variants, WithoutFactorsItIsTheNetworkOfTheZoo) {
  const auto variant = resnet34_cifar_variant(BlockVariant(kResNet34Blocks));
  ASSERT_TRUE(variant.ok()) << variant.rejection().message();
  EXPECT_EQ(content_of(*variant), content_of(*build("resnet34-cifar")));
}

// Grouping divides the MACs of the blocks; the stem, the shortcuts and the classifier stay. The
// figures are those that the authors' program gives for groups of 2.
TEST(Variants, GroupsDivideTheWorkOfTheirBlock) {
  const auto grouped = resnet34_cifar_variant(BlockVariant(kResNet34Blocks, {2, 1}));
  ASSERT_TRUE(grouped.ok());
  EXPECT_EQ(cost_of(*grouped).params, 10'739'018);
  EXPECT_EQ(cost_of(*grouped).macs, 583'734'272);
}

TEST(Variants, ABottleneckDividesBothConvolutionsOfItsBlock) {
  BlockVariant variant(kResNet34Blocks);
  variant[1] = {1, 4};
  const Cost full = cost_of(*build("resnet34-cifar"));
  const Cost less = cost_of(resnet34_cifar_variant(variant).value());
  EXPECT_EQ(full.macs - less.macs, 2 * 64 * 64 * 9 * 32 * 32 * 3 / 4);
}

TEST(Variants, AreDistinctSortedAndTheSameForASeed) {
  const auto variants = draw_resnet34_variants(1000, 7);
  EXPECT_EQ(variants.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(variants.begin(), variants.end()));
  EXPECT_EQ(std::set<BlockVariant>(variants.begin(), variants.end()).size(), 1000u);
  EXPECT_EQ(variants, draw_resnet34_variants(1000, 7));
  EXPECT_NE(variants, draw_resnet34_variants(1000, 8));
  for (std::size_t i = 0; i < variants.size(); i += 100) {
    EXPECT_TRUE(resnet34_cifar_variant(variants[i]).ok()) << text_of(variants[i]);
  }
}

TEST(Variants, RefusesFactorsThatDoNotFit) {
  const auto reason = [](const BlockVariant& variant) {
    const auto model = resnet34_cifar_variant(variant);
    EXPECT_FALSE(model.ok());
    return model.ok() ? Reason::Unavailable : model.rejection().reason();
  };
  EXPECT_EQ(reason(BlockVariant(3)), Reason::BadOption);
  EXPECT_EQ(reason(BlockVariant(kResNet34Blocks, {0, 1})), Reason::BadOption);
  EXPECT_EQ(reason(BlockVariant(kResNet34Blocks, {1, 3})), Reason::BadOption);
  EXPECT_EQ(reason(BlockVariant(kResNet34Blocks, {3, 1})), Reason::BadOption);
}

}  // namespace
}  // namespace cambium::model::zoo
