#include "spaces/loopnest/sites.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Value;
using model::zoo::Net;
using Strings = std::vector<std::string>;

Strings names_of(const Sites& sites) {
  Strings names;
  for (const ConvSite& site : sites.all()) names.push_back(site.name);
  return names;
}

TEST(Sites, AreTheConvolutionsInTheirOrder) {
  const model::Model model = chain();
  const Sites sites(model);
  EXPECT_EQ(names_of(sites), (Strings{"a", "b", "c"}));
  EXPECT_EQ(sites.find("b"), 1u);
  EXPECT_EQ(sites.find("fc"), std::nullopt);
  EXPECT_EQ(sites.of_node(sites[2].node), 2u);
  EXPECT_EQ(sites.of_node(sites[2].x.node), std::nullopt);
  EXPECT_FALSE(sites[0].bias.valid());
  ASSERT_TRUE(sites[2].bias.valid());
  EXPECT_EQ(model.node(sites[2].bias.node).name, "c.bias");
}

TEST(Sites, KnowTheirShapes) {
  const Sites sites(chain());
  EXPECT_EQ(sites[0].shape.words(), "8 -> 16 channels, 3x3, 8x8");
  EXPECT_EQ(sites[1].shape.words(), "16 -> 16 channels, 3x3, 2 groups, 8x8");
  EXPECT_EQ(sites[2].shape.words(), "16 -> 12 channels, 1x1, 8x8");
  EXPECT_EQ(shape_of({.stride = 2}).words(), "8 -> 8 channels, 3x3, stride 2x2, 8x8");
}

TEST(Sites, HaveOneTextForEachShape) {
  const Shape shape = shape_of({});
  EXPECT_EQ(shape.text(), shape_of({}).text());
  for (const ConvNumbers& other :
       {ConvNumbers{.ci = 16}, ConvNumbers{.co = 16}, ConvNumbers{.size = 4},
        ConvNumbers{.kernel = 1}, ConvNumbers{.stride = 2}, ConvNumbers{.groups = 2},
        ConvNumbers{.batch = 2}}) {
    EXPECT_NE(shape.text(), shape_of(other).text()) << shape_of(other).words();
  }
  Shape dilated = shape;
  dilated.conv.dilations = {2, 2};
  EXPECT_NE(shape.text(), dilated.text());
}

TEST(Sites, ReadLessInEveryGroup) {
  const Shape less = shape_of({.groups = 2}).reading_less(2);
  EXPECT_EQ(less.filter, (model::Ints{8, 2, 3, 3}));
  EXPECT_EQ(less.input, (model::Ints{1, 4, 8, 8}));
}

// A filter that is computed has no weights to rewrite; types other than f32 have no nest.
TEST(Sites, AreNoConvolutionsOfOtherTypesOrComputedFilters) {
  const Sites sites(net_of([](Net& net, Value x) {
    const Value flat = net.weight("flat", {8 * 8 * 9}, model::Fill::Law::Normal, 0.1);
    const Value filter = net.reshape(flat, {8, 8, 3, 3});
    const model::Conv conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
    x = net.builder().add(conv, {x, filter}, "computed");
    x = net.builder().add(model::Cast{DType::F64}, {x});
    const Value wide =
        net.builder().weight("wide.weight", model::Tensor::lazy({DType::F64, {8, 8, 3, 3}}, {}));
    x = net.builder().add(conv, {x, wide}, "wide");
    x = net.builder().add(model::Cast{DType::F32}, {x});
    return net.conv(x, "plain", {.out = 8, .kernel = 3});
  }));
  EXPECT_EQ(names_of(sites), (Strings{"plain"}));
}

TEST(Sites, KnowHowManyReadTheFilter) {
  const Sites sites(net_of([](Net& net, Value x) {
    const model::Conv conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
    const Value w = net.weight("w", {8, 8, 3, 3}, model::Fill::Law::Normal, 0.1);
    x = net.builder().add(conv, {x, w}, "first");
    x = net.builder().add(conv, {x, w}, "second");
    const Value shown = net.weight("shown", {8, 8, 3, 3}, model::Fill::Law::Normal, 0.1);
    net.builder().output("filter", shown);
    x = net.builder().add(conv, {x, shown}, "third");
    return net.conv(x, "alone", {.out = 8, .kernel = 3});
  }));
  ASSERT_EQ(sites.size(), 4u);
  EXPECT_FALSE(sites[0].owns_filter());
  EXPECT_FALSE(sites[1].owns_filter());
  EXPECT_FALSE(sites[2].owns_filter()) << "the model shows it";
  EXPECT_TRUE(sites[3].owns_filter());
}

TEST(Sites, AreNamedInTheModelsOrderEachOnce) {
  const model::Model model = chain();
  const Sites sites(model);
  EXPECT_EQ(sites_named(model, sites, {"c", "a", "c"}).value(), (std::vector<std::size_t>{0, 2}));
  for (const Strings& names : {Strings{}, Strings{"a", "fc"}, Strings{"nowhere"}}) {
    const auto refused = sites_named(model, sites, names);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.rejection().reason(), Reason::UnknownSite);
  }
  const std::string message = sites_named(model, sites, {"fc"}).rejection().message();
  EXPECT_NE(message.find("'fc'"), std::string::npos) << message;
}

TEST(Sites, KnowTheirPlace) {
  const model::Model model = chain();
  const Sites sites(model);
  const Place place = sites[2].place(model);
  EXPECT_EQ(place.name, "c");
  EXPECT_EQ(place.input, sites[2].x);
  EXPECT_EQ(place.weight, sites[2].filter);
  EXPECT_EQ(place.bias_shape, (model::Ints{12, 1, 1}));
}

}  // namespace
}  // namespace cambium::spaces::loopnest
