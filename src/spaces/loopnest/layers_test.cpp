// Layers, tied and alone, and drafts, which choose documents layer by layer.
#include "spaces/loopnest/layers.h"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Value;
using model::zoo::Net;

// Two widths, of each two convolutions of one shape, and a pointwise one.
model::Model two_stages() {
  return net_of([](Net& net, Value x) {
    x = net.conv(x, "s0.a", {.out = 8, .kernel = 3});
    x = net.conv(x, "s0.b", {.out = 8, .kernel = 3});
    x = net.conv(x, "up", {.out = 16});
    x = net.conv(x, "s1.a", {.out = 16, .kernel = 3});
    return net.conv(x, "s1.b", {.out = 16, .kernel = 3});
  });
}

struct Tied {
  Tied(const model::Model& model, const std::string& tie)
      : shapes(limits()), survey(model, shapes), layers(layers_of(survey, all(), tie)) {}

  static schedule::MoveLimits limits() {
    schedule::MoveLimits limits;
    limits.narrows_outputs = true;
    return limits;
  }
  std::vector<std::size_t> all() const {
    std::vector<std::size_t> sites(survey.sites().size());
    std::iota(sites.begin(), sites.end(), std::size_t{0});
    return sites;
  }
  const Variant& read(const Draft& draft, std::size_t layer, const std::string& written) const {
    return **draft.variants(layers[layer]).value()->read(written);
  }

  VariantsByShape shapes;
  Survey survey;
  std::vector<Layer> layers;
};

using SitesByLayer = std::vector<std::vector<std::size_t>>;
SitesByLayer sites_of(const std::vector<Layer>& layers) {
  SitesByLayer sites;
  for (const Layer& layer : layers) sites.push_back(layer.sites);
  return sites;
}

TEST(Layers, AreAloneOrTiedByShapeOrStage) {
  const model::Model model = two_stages();
  const Tied none(model, "none"), shape(model, "shape"), stage(model, "stage");
  EXPECT_EQ(sites_of(none.layers), (SitesByLayer{{0}, {1}, {2}, {3}, {4}}));
  EXPECT_EQ(none.layers[1].name, "s0.b");
  EXPECT_EQ(sites_of(shape.layers), (SitesByLayer{{0, 1}, {2}, {3, 4}}));
  EXPECT_EQ(shape.layers[0].name, "8 -> 8 channels, 3x3, 8x8");
  EXPECT_EQ(sites_of(stage.layers), (SitesByLayer{{0, 1, 3, 4}, {2}}));
  EXPECT_EQ(stage.layers[0].name, "3x3, 8x8");
}

TEST(Layers, OfAStageHaveEqualStridesGroupsAndRows) {
  Tied tied(net_of([](Net& net, Value x) {
              x = net.conv(x, "a", {.out = 8, .kernel = 3});
              x = net.conv(x, "b", {.out = 8, .kernel = 3, .groups = 2});
              x = net.conv(x, "c", {.out = 8, .kernel = 3, .stride = 2});
              return net.conv(x, "d", {.out = 8, .kernel = 3});
            }),
            "stage");
  EXPECT_EQ(sites_of(tied.layers), (SitesByLayer{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(tied.layers[1].name, "3x3, 2 groups, 8x8");
  EXPECT_EQ(tied.layers[2].name, "3x3, stride 2x2, 8x8");
}

TEST(Drafts, GiveTiedSitesTheDocumentOfTheirLayer) {
  Tied tied(two_stages(), "stage");
  Draft draft(tied.survey);
  EXPECT_TRUE(draft.is_empty());
  const Variant& group = tied.read(draft, 0, "group 4");
  EXPECT_TRUE(draft.fits(tied.layers[0], group));
  draft.choose(tied.layers[0], group);
  EXPECT_FALSE(draft.is_empty());
  const auto plan = draft.plan();
  ASSERT_TRUE(plan.ok()) << plan.rejection().message();
  ASSERT_EQ(plan->placed().size(), 4u);
  for (const Placed& placed : plan->placed()) {
    EXPECT_EQ(placed.variant->document, "group(outer: co, inner: ci, factor: 4)\n");
  }
}

// What the first site can have may not divide at another one.
TEST(Drafts, FitOnlyWhatAllTiedSitesCanHave) {
  Tied tied(net_of([](Net& net, Value x) {
              x = net.conv(x, "wide", {.out = 16, .kernel = 3});
              x = net.conv(x, "first", {.out = 16, .kernel = 3});
              x = net.conv(x, "down", {.out = 12});
              return net.conv(x, "second", {.out = 12, .kernel = 3});
            }),
            "stage");
  ASSERT_EQ(sites_of(tied.layers), (SitesByLayer{{0, 1, 3}, {2}}));
  Draft draft(tied.survey);
  EXPECT_TRUE(draft.fits(tied.layers[0], tied.read(draft, 0, "group 4")));
  EXPECT_FALSE(draft.fits(tied.layers[0], tied.read(draft, 0, "group 8")));
  EXPECT_FALSE(draft.fits(tied.layers[0], tied.read(draft, 0, "bottleneck 2")))
      << "tied layers keep their channels";
  EXPECT_FALSE(draft.can_narrow(tied.layers[0]));
}

TEST(Drafts, KnowWhatEarlierLayersLeave) {
  Tied tied(two_stages(), "none");
  Draft draft(tied.survey);
  EXPECT_TRUE(draft.can_narrow(tied.layers[0]));
  EXPECT_FALSE(draft.can_narrow(tied.layers[4])) << "its channels are the output";
  const std::int64_t before = draft.variants(tied.layers[1]).value()->shape().filter[1];
  draft.choose(tied.layers[0], tied.read(draft, 0, "bottleneck 4"));
  EXPECT_EQ(draft.variants(tied.layers[1]).value()->shape().filter[1] * 4, before);
  EXPECT_EQ(draft.variants(tied.layers[2]).value()->shape().filter[1], 8);
  draft.choose(tied.layers[1], tied.read(draft, 1, "group 2"));
  const auto plan = draft.plan();
  ASSERT_TRUE(plan.ok()) << plan.rejection().message();
  EXPECT_EQ(plan->placed().size(), 2u);
}

TEST(Drafts, AreEmptyOfOriginals) {
  Tied tied(two_stages(), "none");
  Draft draft(tied.survey);
  draft.choose(tied.layers[0], tied.read(draft, 0, "group 1"));
  EXPECT_TRUE(draft.is_empty());
  EXPECT_TRUE(draft.plan()->placed().empty());
}

}  // namespace
}  // namespace cambium::spaces::loopnest
