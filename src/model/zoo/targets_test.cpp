// What the papers rewrite, selected in the networks that they used.
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/target.h"
#include "model/zoo/zoo.h"

namespace cambium::model::zoo {
namespace {

struct Count {
  std::string text;
  std::size_t sites;
  friend bool operator==(const Count&, const Count&) = default;
};

void PrintTo(const Count& count, std::ostream* out) {
  *out << count.text << " x " << count.sites;
}

std::vector<Count> counts(const char* model, const char* selector) {
  auto targets = select(build(model).value(), selector);
  EXPECT_TRUE(targets.ok()) << targets.rejection().message();
  std::vector<Count> out;
  for (const Target& target : *targets) out.push_back({target.text(), target.sites.size()});
  return out;
}

const std::string kUnit = "conv [N, Ci, H, W] -> [N, Co, H, W]";
const std::string kStrided = "conv [N, Ci, s*H, s*W] -> [N, Co, H, W]";
using Counts = std::vector<Count>;

TEST(ZooTargets, SynoReplaces35ConvolutionsOfResNet34) {
  EXPECT_EQ(counts("resnet34", "conv:k=1|3,stride=1|2,groups=1,same"),
            (Counts{{kUnit, 29}, {kStrided, 6}}));
}

TEST(ZooTargets, NasPteTransformsConvolutionsInsideBlocks) {
  EXPECT_EQ(counts("resnet34-cifar", "conv:k=3,block=basic"), (Counts{{kUnit, 29}, {kStrided, 3}}));
  EXPECT_EQ(counts("resnext29-2x64d", "conv:k=3,groups=2"), (Counts{{kUnit, 7}, {kStrided, 2}}));
}

TEST(ZooTargets, JointProjectionsOfGpt2) {
  EXPECT_EQ(counts("gpt2", "linear:name=*c_attn*"),
            (Counts{{"linear [N, T, Ci] -> [N, T, Co]", 12}}));
}

TEST(ZooTargets, SharedTableOfGpt2IsMarked) {
  const auto targets = select(build("gpt2").value(), "linear:name=lm_head").value();
  EXPECT_TRUE(targets[0].sites[0].weights[0].shared);
}

TEST(ZooTargets, BlocksOfOneTypeSplitByTheirShapes) {
  EXPECT_EQ(counts("resnet34-alphanas", "block:basic"),
            (Counts{{"block [N, C, H, W] -> [N, C, H, W]", 13},
                    {"block [N, Ci, s*H, s*W] -> [N, Co, H, W]", 3}}));
  EXPECT_EQ(counts("vit-s16-alphanas", "block:mhdpa"),
            (Counts{{"block [N, T, C] -> [N, T, C]", 12}}));
  EXPECT_EQ(counts("densenet121", "block:dense"),
            (Counts{{"block [N, Ci, H, W] -> [N, Co, H, W]", 58}}));
}

TEST(ZooTargets, EverythingInEveryModelCanBeSelected) {
  for (const ZooEntry& entry : entries()) {
    for (const char* selector : {"block:*", "linear:*"}) {
      EXPECT_TRUE(select(build(entry.name).value(), selector).ok()) << entry.name << selector;
    }
  }
}

}  // namespace
}  // namespace cambium::model::zoo
