#include "loopnest/release.h"

#include <string>

#include <gtest/gtest.h>

#include "model/zoo/zoo.h"
#include "spaces/loopnest/sites.h"
#include "spaces/loopnest/variants.h"

namespace cambium::bench {
namespace {

// By hand: a peel of u channels in G groups needs both numbers of channels less u to divide by G,
// and 8 slabs need 8 rows.
TEST(ReleaseGenerator, IsLegalAsOftenAsItsRulesSay) {
  const auto share = release_share(model::zoo::build("resnet34-cifar").value());
  ASSERT_TRUE(share.ok()) << share.rejection().message();
  ASSERT_EQ(share->blocks.size(), 7u);
  int blocks = 0;
  for (const ReleaseBlock& block : share->blocks) {
    SCOPED_TRACE(block.shape);
    blocks += block.count;
    const ReleaseChoices &slabs = block.choices[0], &peel = block.choices[1],
                         &parts = block.choices[2];
    EXPECT_EQ(peel.drawn, 20u);
    EXPECT_EQ(parts.legal, parts.drawn);
    EXPECT_EQ(slabs.legal, block.shape.find("512 channels") != std::string::npos ? 3u : 4u);
  }
  EXPECT_EQ(blocks, 16);
  EXPECT_EQ(share->blocks[0].choices[1].legal, 15u) << "64 to 64 channels";
  EXPECT_EQ(share->blocks[1].choices[1].legal, 12u) << "64 to 128";
  EXPECT_EQ(share->blocks[2].choices[1].legal, 14u) << "128 to 128";
  EXPECT_NEAR(share->share, 0.2383, 5e-5);
}

// The count of choices of eight parts rests on this.
TEST(ReleaseGenerator, ADocumentOfPartsIsLegalIfEachPartIs) {
  spaces::loopnest::Shape shape;
  shape.conv = {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
  shape.filter = {24, 20, 3, 3};  // parts of 12 channels, which 8 does not divide
  shape.input = {1, 20, 8, 8};
  const auto variants = spaces::loopnest::Variants::make(shape, {}).value();
  const auto is_legal = [&](std::int64_t first, std::int64_t second) {
    return variants->read("halves " + std::to_string(first) + " " + std::to_string(second)).ok();
  };
  int illegal = 0;
  for (const std::int64_t first : {1, 2, 4, 8}) {
    for (const std::int64_t second : {1, 2, 4, 8}) {
      EXPECT_EQ(is_legal(first, second), is_legal(first, 1) && is_legal(1, second))
          << first << " " << second;
      illegal += !is_legal(first, second);
    }
  }
  EXPECT_EQ(illegal, 7);
}

}  // namespace
}  // namespace cambium::bench
