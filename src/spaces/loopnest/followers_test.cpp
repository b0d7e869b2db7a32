// What must become narrower behind an output bottleneck, and what forbids one.
#include "spaces/loopnest/followers.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/verify.h"
#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Ints;
using model::Value;
using model::zoo::Net;
using Names = std::vector<std::string>;

Result<Followers> followers_at(const model::Model& model, const std::string& name) {
  const Sites sites(model);
  return followers_of(model, sites[sites.find(name).value()]);
}

Names cut_weights(const model::Model& model, const Followers& followers) {
  Names names;
  for (const Cut& cut : followers.cuts) names.push_back(model.node(cut.weight).name);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Followers, AreWhatReadsTheChannels) {
  const model::Model model = chain();
  const auto followers = followers_at(model, "a");
  ASSERT_TRUE(followers.ok()) << followers.rejection().message();
  EXPECT_EQ(followers->channels, 16);
  EXPECT_EQ(followers->blocks, 2) << "b reads them in two groups";
  EXPECT_EQ(cut_weights(model, *followers),
            (Names{"a.bn.bias", "a.bn.running_mean", "a.bn.running_var", "a.bn.weight", "a.weight",
                   "b.weight"}));
  ASSERT_EQ(followers->convolutions.size(), 1u);
  EXPECT_EQ(model.node(followers->convolutions[0]).name, "b");
  EXPECT_TRUE(followers->products.empty());
}

TEST(Followers, IncludeTheBiasAndALinearLayer) {
  const model::Model model = chain();
  const auto followers = followers_at(model, "c");
  ASSERT_TRUE(followers.ok()) << followers.rejection().message();
  EXPECT_EQ(followers->blocks, 1);
  EXPECT_EQ(cut_weights(model, *followers), (Names{"c.bias", "c.weight", "fc.weight"}));
  ASSERT_EQ(followers->products.size(), 1u);
  EXPECT_EQ(model.node(followers->products[0]).name, "fc");
}

// Every group of a reader keeps the first of its channels, not the first half of all.
TEST(Followers, CutEveryGroupOfAReaderEqually) {
  const model::Model model = chain();
  const auto followers = followers_at(model, "a");
  ASSERT_TRUE(followers.ok());
  EXPECT_EQ(followers->kept(2), (std::vector<std::int64_t>{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(followers->kept(4), (std::vector<std::int64_t>{0, 1, 8, 9}));
  const auto less = narrowed(model, *followers, 2);
  ASSERT_TRUE(less.ok()) << less.rejection().message();
  EXPECT_TRUE(model::verify(*less).ok());
  EXPECT_EQ(node_named(*less, "a.weight")->outputs[0].dims, (Ints{8, 8, 3, 3}));
  EXPECT_EQ(node_named(*less, "b.weight")->outputs[0].dims, (Ints{16, 4, 3, 3}));
  EXPECT_EQ(node_named(*less, "a.bn.running_var")->outputs[0].dims, (Ints{8}));
  const auto origins = origins_of_cuts(model, *followers, 2);
  ASSERT_EQ(origins.size(), followers->cuts.size());
  const auto filter =
      std::find_if(origins.begin(), origins.end(),
                   [](const model::WeightOrigin& origin) { return origin.weight == "a.weight"; });
  ASSERT_NE(filter, origins.end());
  EXPECT_EQ(filter->elements[4 * 72], 8 * 72) << "row 4 is row 8 of the original";
}

TEST(Followers, CutTheGroupsOfTheSiteEqually) {
  const model::Model model = chain();
  const auto followers = followers_at(model, "b");
  ASSERT_TRUE(followers.ok());
  EXPECT_EQ(followers->kept(2), (std::vector<std::int64_t>{0, 1, 2, 3, 8, 9, 10, 11}));
  const Sites sites(model);
  EXPECT_TRUE(followers->can_be_cut(sites[1], 8).ok());
  const Status refused = followers->can_be_cut(sites[1], 3);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::NotDivisible);
  const std::string message = refused.rejection().message();
  EXPECT_NE(message.find("'b'"), std::string::npos) << message;
  EXPECT_NE(message.find('8'), std::string::npos) << message;
  EXPECT_NE(message.find('3'), std::string::npos) << message;
}

// Places lie behind channels, so a linear layer reads as many elements of each channel.
TEST(Followers, PassPoolingAndFlattening) {
  const model::Model model = net_of([](Net& net, Value x) {
    x = net.conv(x, "a", {.out = 12, .kernel = 3});
    x = net.pool(net.relu(x), model::PoolFn::Max, 2, 2);
    return net.linear(net.flatten(x), "fc", 10);
  });
  const auto followers = followers_at(model, "a");
  ASSERT_TRUE(followers.ok()) << followers.rejection().message();
  EXPECT_EQ(cut_weights(model, *followers), (Names{"a.weight", "fc.weight"}));
  const auto less = narrowed(model, *followers, 3);
  ASSERT_TRUE(less.ok()) << less.rejection().message();
  EXPECT_EQ(node_named(*less, "fc.weight")->outputs[0].dims, (Ints{10, 4 * 16}));
  EXPECT_EQ(model::cost_of(*less).macs, model::cost_of(model).macs / 3);
}

TEST(Followers, PassNumbersForEachChannelAndJoinWithThemselves) {
  const model::Model model = net_of([](Net& net, Value x) {
    x = net.conv(x, "a", {.out = 8, .kernel = 3});
    x = net.mul(x, net.weight("scale", {8, 1, 1}, model::Fill::Law::Normal, 1));
    x = net.add(x, net.scalar("one", 1));
    x = net.mul(x, net.act(x, model::zoo::Act::Sigmoid));
    return net.conv(x, "b", {.out = 8});
  });
  const auto followers = followers_at(model, "a");
  ASSERT_TRUE(followers.ok()) << followers.rejection().message();
  EXPECT_EQ(cut_weights(model, *followers), (Names{"a.weight", "b.weight", "scale"}));
}

struct Staying {
  const char* what;   // the case
  const char* names;  // what the message names
  Layers layers;
};

TEST(Followers, AreRefusedWhereChannelsMustStay) {
  const auto conv = [](Net& net, Value x) { return net.conv(x, "a", {.out = 8, .kernel = 3}); };
  const auto mean = [](Net& net, Value x) { return net.global_mean(x, false); };
  const Staying rows[] = {
      {"a residual sum", "'sum' joins them with another value",
       [&](Net& net, Value x) {
         return net.conv(net.add(x, conv(net, x), "sum"), "b", {.out = 8});
       }},
      {"a product with another activation", "'gate' joins them with another value",
       [&](Net& net, Value x) {
         return net.conv(net.mul(conv(net, x), x, "gate"), "b", {.out = 8});
       }},
      {"a concatenation", "'both' concatenates them with other channels",
       [&](Net& net, Value x) {
         const Value y = net.builder().add(model::Concat{1}, {conv(net, x), x}, "both");
         return net.conv(y, "b", {.out = 8});
       }},
      {"an output of the model", "the model's output 'logits'", conv},
      {"a further output of the model", "the model's output 'features'",
       [&](Net& net, Value x) {
         const Value y = net.relu(conv(net, x));
         net.builder().output("features", y);
         return net.conv(y, "b", {.out = 8});
       }},
      {"a filter that others read", "'w' is read in several places",
       [&](Net& net, Value x) {
         const model::Conv same{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
         const Value w = net.weight("w", {8, 8, 3, 3}, model::Fill::Law::Normal, 0.1);
         x = net.builder().add(same, {x, w}, "a");
         return net.builder().add(same, {x, w}, "b");
       }},
      {"a reader's filter that others read", "'w' is read in several places",
       [&](Net& net, Value x) {
         const model::Conv same{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
         const Value w = net.weight("w", {8, 8, 3, 3}, model::Fill::Law::Normal, 0.1);
         x = net.builder().add(same, {conv(net, x), w}, "b");
         return net.builder().add(same, {x, w}, "c");
       }},
      {"numbers of a batch norm that others read", "'bn.weight' is read in several places",
       [&](Net& net, Value x) {
         x = net.batch_norm(conv(net, x), "bn");
         const Value scale = net.builder().node(x.node).inputs[1];
         const Value y = net.conv(x, "b", {.out = 8});
         return net.mul(net.global_mean(y, false), scale);
       }},
      {"a sum over channels", "'total' sums over them",
       [&](Net& net, Value x) {
         return net.builder().add(model::Reduce{model::ReduceFn::Sum, {1}, true}, {conv(net, x)},
                                  "total");
       }},
      {"a softmax over channels", "may need all channels",
       [&](Net& net, Value x) {
         x = net.builder().add(model::Softmax{1}, {conv(net, x)}, "soft");
         return net.conv(x, "b", {.out = 8});
       }},
      {"a move of channels", "'moved' moves them",
       [&](Net& net, Value x) {
         x = net.builder().add(model::Reshape{{1, 16, 4, 8}}, {conv(net, x)}, "moved");
         return net.conv(x, "b", {.out = 8});
       }},
      {"a product that does not sum over them", "'across' does not sum over them",
       [&](Net& net, Value x) {
         const Value w = net.weight("w", {8, 4}, model::Fill::Law::Normal, 0.1);
         return net.builder().add(model::MatMul{}, {conv(net, x), w}, "across");
       }},
      {"a normalization of groups", "may need all channels",
       [&](Net& net, Value x) {
         const Value ones = net.weight("ones", {8}, model::Fill::Law::Constant, 1);
         const Value zeros = net.weight("zeros", {8}, model::Fill::Law::Constant, 0);
         x = net.builder().add(model::GroupNorm{2}, {conv(net, x), ones, zeros}, "norm");
         return net.conv(x, "b", {.out = 8});
       }},
      {"a convolution with them as its filter", "reads them as its filter",
       [&](Net& net, Value x) {
         const Value y = net.conv(x, "b", {.out = 8, .kernel = 3});
         return mean(net, net.builder().add(model::Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1},
                                            {y, conv(net, x)}, "filtered"));
       }},
  };
  for (const Staying& row : rows) {
    SCOPED_TRACE(row.what);
    const auto followers = followers_at(net_of(row.layers), "a");
    ASSERT_FALSE(followers.ok());
    EXPECT_EQ(followers.rejection().reason(), Reason::ChangesInterface);
    const std::string message = followers.rejection().message();
    EXPECT_NE(message.find(row.names), std::string::npos) << message;
    EXPECT_NE(message.find("8 output channels"), std::string::npos) << message;
  }
}

// Of ResNet's convolutions, only the first of each block may become narrower.
TEST(Followers, OfAResidualNetworkAreThoseWithinItsBlocks) {
  const model::Model model = residual();
  const Sites sites(model);
  for (const ConvSite& site : sites.all()) {
    EXPECT_EQ(followers_of(model, site).ok(), site.name.ends_with("conv1")) << site.name;
  }
}

TEST(Followers, OfADepthwiseReaderHaveNoFactor) {
  const model::Model model = net_of([](Net& net, Value x) {
    x = net.conv(x, "a", {.out = 8});
    x = net.conv(x, "apart", {.out = 8, .kernel = 3, .groups = 8});
    return net.conv(x, "b", {.out = 8});
  });
  const auto followers = followers_at(model, "a");
  ASSERT_TRUE(followers.ok());
  EXPECT_EQ(followers->blocks, 8);
  EXPECT_EQ(followers->can_be_cut(Sites(model)[0], 2).rejection().reason(), Reason::NotDivisible);
}

}  // namespace
}  // namespace cambium::spaces::loopnest
