#include "spaces/coordinate/synthesis/sizes.h"

#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

const std::vector<std::string> kTwo = {"C=64, H=56, k=3, s=2, g=4", "C=128, H=28, k=3, s=2, g=4"};

struct Sized {
  Problem problem = problem_for("[C, H]", "[H, C]", kTwo);
  Sizes sizes{problem, Limits{}};

  SizeId id(std::string_view text) { return sizes.intern(problem.sizes.parse(text).value()); }
};

TEST(SizesTest, EqualSizesHaveOneId) {
  Sized s;
  EXPECT_EQ(s.id("C/s"), s.id("C*s/s^2"));
  EXPECT_NE(s.id("C/s"), s.id("C/g"));
  EXPECT_EQ(s.sizes.product(s.id("C/s"), s.id("s")), s.id("C"));
  EXPECT_EQ(s.sizes.quotient(s.id("C"), s.id("C")), kSizeOne);
}

TEST(SizesTest, ValuesAreThoseOfAllBindings) {
  Sized s;
  const auto values = s.sizes.values(s.id("C/g"));
  EXPECT_EQ(std::vector<std::int64_t>(values.begin(), values.end()),
            (std::vector<std::int64_t>{16, 32}));
  EXPECT_EQ(s.sizes[s.id("H")].least, 28);
  EXPECT_EQ(s.sizes[s.id("H")].greatest, 56);
  EXPECT_TRUE(s.sizes[s.id("k")].odd);
}

TEST(SizesTest, IllegalSizesAreKnownAsSuch) {
  Sized s;
  EXPECT_FALSE(s.sizes.legal(s.id("C/k")));  // no integer
  EXPECT_FALSE(s.sizes.legal(s.id("k/C")));  // primary variable below the line
  EXPECT_FALSE(s.sizes.legal(s.id("k^7")));  // too many powers
  EXPECT_TRUE(s.sizes.whole(s.id("k^7")));   // but a count all the same
  EXPECT_FALSE(s.sizes.domain(kSizeOne));
}

TEST(SizesTest, BlocksDivide) {
  Sized s;
  const SizeId c = s.id("C");
  const SizeId wide = s.id("C/g"), narrow = s.id("g");
  EXPECT_NE(s.sizes.find_block(c, wide), nullptr);
  EXPECT_NE(s.sizes.find_block(c, narrow), nullptr);
  EXPECT_EQ(s.sizes.find_block(c, s.id("k")), nullptr);
  for (const Block& block : s.sizes.blocks(c)) {
    EXPECT_EQ(s.sizes.product(block.block, block.rest), c);
  }
}

TEST(SizesTest, NothingIsAddedWhenWarm) {
  Sized s;
  const auto all = [&] {
    for (const SizeId a : s.sizes.parameters()) {
      for (const SizeId b : s.sizes.parameters()) s.sizes.quotient(s.sizes.product(a, b), a);
    }
  };
  all();
  const std::size_t bytes = s.sizes.bytes(), count = s.sizes.count();
  all();
  EXPECT_EQ(s.sizes.bytes(), bytes);
  EXPECT_EQ(s.sizes.count(), count);
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
