#include "spaces/loopnest/survey.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

TEST(Survey, SitesOfOneShapeShareTheirVariants) {
  VariantsByShape shapes({});
  Survey survey(residual(), shapes);
  const auto variants = [&](const char* site, std::int64_t narrower = 1) {
    return survey.variants(survey.sites().find(site).value(), narrower).value();
  };
  EXPECT_EQ(variants("r0.conv1"), variants("r1.conv2"));
  EXPECT_NE(variants("r0.conv1"), variants("stem"));
  EXPECT_NE(variants("r0.conv2"), variants("r0.conv2", 2));
  EXPECT_EQ(variants("r0.conv2", 2)->shape().filter, (model::Ints{16, 8, 3, 3}));
  Survey other(residual(), shapes);
  EXPECT_EQ(other.variants(1).value(), variants("r0.conv1")) << "also those of other models";
}

TEST(Survey, KnowsWhoReadsTheChannelsOfASite) {
  VariantsByShape shapes({});
  Survey survey(chain(), shapes);
  ASSERT_TRUE(survey.followers(0).ok());
  EXPECT_EQ(survey.readers(*survey.followers(0)), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(survey.readers(*survey.followers(2)).empty()) << "a linear layer is no site";
  EXPECT_EQ(&survey.followers(0), &survey.followers(0)) << "they are found once";
}

TEST(Survey, CountsTheModel) {
  VariantsByShape shapes({});
  Survey survey(chain(), shapes);
  const Sites& sites = survey.sites();
  EXPECT_EQ(survey.cost().macs, model::cost_of(survey.model()).macs);
  EXPECT_EQ(survey.macs_of(sites[0].node), 16 * 8 * 9 * 64);
  EXPECT_TRUE(survey.is_parameter(sites[0].filter.node));
  EXPECT_TRUE(survey.is_parameter(node_named(survey.model(), "a.bn.bias")->id));
  EXPECT_FALSE(survey.is_parameter(node_named(survey.model(), "a.bn.running_mean")->id));
}

}  // namespace
}  // namespace cambium::spaces::loopnest
