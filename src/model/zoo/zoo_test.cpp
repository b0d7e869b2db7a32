#include "model/zoo/zoo.h"

#include <cmath>
#include <cstdio>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/thread_seconds_testing.h"
#include "model/cost.h"

namespace cambium::model::zoo {
namespace {

std::set<std::string> block_types(const Model& model) {
  std::set<std::string> types;
  for (const Block& block : model.blocks()) types.insert(block.type);
  return types;
}

TEST(Zoo, EveryModelHasItsPublishedCounts) {
  std::printf("%-20s %12s %12s %16s %16s\n", "model", "params", "published", "MACs", "published");
  for (const ZooEntry& entry : entries()) {
    SCOPED_TRACE(std::string(entry.name));
    auto model = build(entry.name);
    ASSERT_TRUE(model.ok()) << model.rejection().message();
    const Cost cost = cost_of(*model);
    const Published& published = entry.published;
    std::printf("%-20s %12lld %12lld %16lld %16.0f\n", entry.name.data(),
                static_cast<long long>(cost.params), static_cast<long long>(published.params),
                static_cast<long long>(cost.macs), published.macs);
    EXPECT_LE(std::abs(cost.params - published.params), published.params_within);
    if (published.macs > 0) {
      EXPECT_LE(std::abs(static_cast<double>(cost.macs) - published.macs), published.macs_within);
    }
    EXPECT_FALSE(published.source.empty());
  }
}

// Counts that others print only rounded, or that nobody else has, so that no edit of a family moves
// them unseen.
TEST(Zoo, CountsWithoutAnExactPublicationArePinned) {
  struct Pin {
    const char* name;
    std::int64_t params, macs;
  };
  const Pin pins[] = {{"resnet20", 269'722, 40'551'040},
                      {"cnn-alphanas", 2'192'458, 39'946'752},
                      {"resnet18", 11'689'512, 1'814'073'344},
                      {"resnet34-alphanas", 21'286'218, 292'230'144},
                      {"resnet50-alphanas", 25'561'128, 4'102'029'312},
                      {"resnext29-2x64d", 9'128'778, 1'409'492'992},
                      {"densenet161-cifar", 26'482'378, 2'467'550'784},
                      {"vit-s16", 22'050'664, 4'598'882'304},
                      {"vit-s16-alphanas", 22'049'896, 4'574'026'752},
                      {"bert-mini6", 66'067'968, 5'586'812'928},
                      {"tiny-resnet", 174'970, 20'183'936},
                      {"tiny-gpt", 834'304, 56'623'104}};
  for (const Pin& pin : pins) {
    const Cost cost = cost_of(build(pin.name).value());
    EXPECT_EQ(cost.params, pin.params) << pin.name;
    EXPECT_EQ(cost.macs, pin.macs) << pin.name;
  }
}

TEST(Zoo, BuildingAndCountingFillsNoWeights) {
  const double start = thread_seconds();
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  for (const ZooEntry& entry : entries()) {
    EXPECT_GT(cost_of(build(entry.name).value()).params, 0) << entry.name;
  }
  getrusage(RUSAGE_SELF, &after);
  const double seconds = thread_seconds() - start;
  std::printf("%zu models in %.3f s, %ld KiB more\n", entries().size(), seconds,
              after.ru_maxrss - before.ru_maxrss);
  EXPECT_LT(seconds, 10) << "a sanitizer's build has room; the plain one takes a tenth";
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 200 * 1024) << "vgg16 alone would be 540 MiB";
}

TEST(Zoo, BlocksAreNamedByType) {
  EXPECT_EQ(block_types(*build("resnet34")), (std::set<std::string>{"basic"}));
  EXPECT_EQ(build("resnet34")->blocks().size(), 16u);
  EXPECT_EQ(block_types(*build("densenet121")), (std::set<std::string>{"dense", "transition"}));
  EXPECT_EQ(block_types(*build("efficientnetv2-s")),
            (std::set<std::string>{"fused_mbconv", "mbconv"}));
  EXPECT_EQ(block_types(*build("vit-s16-alphanas")), (std::set<std::string>{"mhdpa", "mlp"}));
  EXPECT_EQ(build("gpt2")->blocks().size(), 12u);
}

TEST(Zoo, ShrinkingKeepsStructureAndIsSmall) {
  ZooOptions options;
  options.width_divisor = 8;
  for (const ZooEntry& entry : entries()) {
    SCOPED_TRACE(std::string(entry.name));
    const Model full = build(entry.name).value();
    auto shrunk = build(entry.name, options);
    ASSERT_TRUE(shrunk.ok()) << shrunk.rejection().message();
    EXPECT_EQ(shrunk->nodes().size(), full.nodes().size());
    EXPECT_EQ(shrunk->blocks().size(), full.blocks().size());
    EXPECT_LT(cost_of(*shrunk).params, cost_of(full).params / 2);
    EXPECT_LT(cost_of(*shrunk).params, 16'000'000);
  }
}

TEST(Zoo, OptionsChangeBatchClassesAndImage) {
  ZooOptions options;
  options.batch = 4;
  options.classes = 100;
  options.image = 64;
  const Model model = build("resnet18", options).value();
  EXPECT_EQ(model.node(model.inputs()[0]).outputs[0].dims, (Ints{4, 3, 64, 64}));
  EXPECT_EQ(model.type(model.outputs()[0].value).dims, (Ints{4, 100}));
  options.image = 0;
  options.batch = 3;
  EXPECT_EQ(cost_of(build("vit-s16", options).value()).macs,
            3 * (cost_of(build("vit-s16").value()).macs - 900 * 384));
}

TEST(Zoo, EveryBatchCountsTheSameParameters) {
  ZooOptions options;
  options.batch = 2;
  for (const ZooEntry& entry : entries()) {
    EXPECT_EQ(cost_of(build(entry.name, options).value()).params,
              cost_of(build(entry.name).value()).params)
        << entry.name;
  }
}

TEST(Zoo, UnknownNameIsRefusedWithTheNearest) {
  const auto model = build("resnet35");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.rejection().reason(), Reason::UnknownModel);
  EXPECT_NE(model.rejection().message().find("'resnet34'"), std::string::npos);
  EXPECT_NE(build("what").rejection().message().find("gpt2"), std::string::npos);
}

TEST(Zoo, OptionsThatMakeNoNetworkAreRefused) {
  ZooOptions options;
  options.batch = 0;
  EXPECT_EQ(build("resnet18", options).rejection().reason(), Reason::BadOption);
  options = {};
  options.image = 224;
  EXPECT_EQ(build("gpt2", options).rejection().reason(), Reason::BadOption);
  options = {};
  options.length = 8;
  EXPECT_EQ(build("resnet18", options).rejection().reason(), Reason::BadOption);
  options = {};
  options.image = 8;
  EXPECT_FALSE(build("vit-s16", options).ok()) << "smaller than one patch";
}

TEST(Zoo, SameSeedSameWeightsOtherSeedOthers) {
  const auto first = [](std::uint64_t seed) {
    ZooOptions options;
    options.seed = seed;
    const Model model = build("tiny-resnet", options).value();
    return model.node(parameters_of(model)[0]).as<Weight>()->value.fingerprint();
  };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
}

}  // namespace
}  // namespace cambium::model::zoo
