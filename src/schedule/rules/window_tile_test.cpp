#include "program/code_size.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/rule_testing.h"
#include "schedule/rules/small_operators_testing.h"

namespace cambium::schedule {
namespace {

const Rule kWindowTile{"window-tile", "", tile_window};

// A depthwise convolution, padding 1, before the rule with the answers to some of its questions.
class Depthwise3x3 : public RuleSubject {
 public:
  Depthwise3x3(std::int64_t size, std::int64_t channels, const Options& options = {})
      : RuleSubject(conv_text({size, channels, channels, 3, 1, 1, channels})) {
    want_options("window-tile/conv/", options);
  }
  void tile() { EXPECT_EQ(apply(kWindowTile, "conv"), std::nullopt); }
  void inline_padding() { EXPECT_TRUE(draft().apply(Inline{"pad"}).ok()); }
};

TEST(WindowTile, KeepsNeighboursSideBySideInRegisters) {
  Depthwise3x3 s(7, 16);
  s.tile();
  EXPECT_EQ(s.nest("conv"),
            "n.3 1, oh.2 7, ow.2.0 1, c.3.0 1, kh 3 unrolled, kw 3 unrolled, ow 7 unrolled, "
            "c.2 16 vectorized");
  EXPECT_EQ(s.nest("relu"),
            "n.3 1, oh.2 7, ow.2.0 1, c.3.0 1, ow.2.1 7 unrolled, c.3.1 1 unrolled, "
            "c.3.2 16 vectorized");
  EXPECT_TRUE(s.has("local acc: f32[1, 1, 7, 16] @space(\"register\")")) << s.text();
}

TEST(WindowTile, MakesSmallerTilesOfTailsInsteadOfPredicates) {
  Depthwise3x3 s(7, 20, {{"neighbours", "4"}});
  s.tile();
  EXPECT_NE(s.nest("conv").find("ow 4 unrolled, c.2 16 vectorized"), std::string::npos);
  EXPECT_NE(s.nest("conv.2").find("ow.3 4 unrolled, c.2.3 4 vectorized"), std::string::npos);
  EXPECT_NE(s.nest("conv.3").find("ow.4 3 unrolled, c.2.4 16 vectorized"), std::string::npos);
  EXPECT_FALSE(s.has(" if ")) << s.text();
}

TEST(WindowTile, PacksWeightsByTheLanesThatReadThem) {
  Depthwise3x3 s(7, 32, {{"vectors", "1"}});
  s.tile();
  EXPECT_TRUE(s.has("local w.cache: f32[2, 1, 3, 3, 16]")) << s.text();
}

TEST(WindowTile, TakesRowsAndVectorsIntoTheTileAsChosen) {
  Depthwise3x3 s(8, 32, {{"neighbours", "4"}, {"rows", "2"}, {"vectors", "2"}});
  s.tile();
  EXPECT_EQ(s.nest("relu"),
            "n.3 1, oh.2.0 4, ow.2.0 2, c.3.0 1, oh.2.1 2 unrolled, ow.2.1 4 unrolled, "
            "c.3.1 2 unrolled, c.3.2 16 vectorized");
  EXPECT_TRUE(s.has("local acc: f32[1, 2, 4, 32] @space(\"register\")")) << s.text();
}

TEST(WindowTile, WritesOutAsMuchOfTheWindowAsChosen) {
  const auto window = [](const char* most) {
    Depthwise3x3 s(7, 16, {{"unroll", most}});
    s.tile();
    const std::string nest = s.nest("conv");
    return nest.substr(nest.find("kh"), nest.find(", ow 7") - nest.find("kh"));
  };
  EXPECT_EQ(window("24"), "kh 3, kw 3 unrolled") << "7 neighbours take 21 multiply-adds a tap row";
  EXPECT_EQ(window("96"), "kh 3 unrolled, kw 3 unrolled");
}

TEST(WindowTile, GoesAlongTheNeighboursInnermost) {
  RuleSubject s(R"(
    program p(x: f32[8, 8, 16] input, y: f32[6, 6, 16] output) {
      for h in 6 { for v in 6 { for c in 16 { for s in 3 { for r in 3 {
        block y(spatial h = h, spatial v = v, spatial c = c, reduce s = s, reduce r = r) {
          y[h, v, c] max= x[h + r, v + s, c] init -inf
        }
      } } } } }
    })");
  ASSERT_EQ(s.apply(kWindowTile, "y"), std::nullopt);
  EXPECT_EQ(s.nest("y"),
            "d0 6, d1.0 1, d2.0 1, r 3 unrolled, s 3 unrolled, v 6 unrolled, c 16 vectorized")
      << "steps along v share what they load";
}

TEST(WindowTile, PutsVectorsInsideOrOutsideOfThePixels) {
  const auto outer = [](const char* where) {
    Depthwise3x3 s(7, 32, {{"lanes", where}, {"vectors", "1"}});
    s.tile();
    return s.nest("conv").substr(0, s.nest("conv").find(", kh"));
  };
  EXPECT_EQ(outer("inside"), "n.3 1, oh.2 7, ow.2.0 1, c.3.0 2");
  EXPECT_EQ(outer("outside"), "c.3.0 2, n.3 1, oh.2 7, ow.2.0 1");
}

TEST(WindowTile, CutsBordersOffWherePaddingIsDecided) {
  Depthwise3x3 s(7, 16);
  s.inline_padding();
  s.tile();
  EXPECT_NE(s.nest("conv").find("oh.2 1,"), std::string::npos) << s.text();
  EXPECT_NE(s.nest("conv.2").find("oh.2.2 5,"), std::string::npos) << s.text();
  EXPECT_NE(s.nest("conv.3").find("oh.2.3 1,"), std::string::npos) << s.text();
  EXPECT_FALSE(s.has("local pad")) << s.text();
}

TEST(WindowTile, CopiesStripsOfASmallImageWithManyChannels) {
  Depthwise3x3 copied(4, 512, {{"data", "in strips"}});
  copied.tile();
  EXPECT_TRUE(copied.has("local pad.cache: f32[1, 6, 6, 128]")) << copied.text();
  EXPECT_EQ(copied.nest("pad.cache"),
            "c.3.0 4, d1.2 6, d2.2 6, d3.2.0 8 unrolled, d3.2.1 16 vectorized");
  Depthwise3x3 as_it_is(4, 512, {{"data", "as it is"}});
  as_it_is.tile();
  EXPECT_FALSE(as_it_is.has("pad.cache")) << as_it_is.text();
  EXPECT_NE(as_it_is.nest("conv").find("c.3.0.1 4, c.3.0.0 2, kh"), std::string::npos)
      << "one tile of each half in turns: " << as_it_is.nest("conv");
  Depthwise3x3 few(4, 256, {{"data", "in strips"}});
  few.tile();
  EXPECT_FALSE(few.has("pad.cache")) << "pixels are near each other: " << few.text();
}

// Borders and tails make copies of the window.
TEST(WindowTile, WritesOutLessOfAWindowThatIsCopiedTooOften) {
  const auto unrolled = [](std::int64_t channels) {
    RuleSubject s(conv_text({11, channels, channels, 5, 1, 2, channels}));
    EXPECT_TRUE(s.draft().apply(Inline{"pad"}).ok());
    s.want_options("window-tile/conv/", {{"rows", "3"}, {"neighbours", "3"}});
    s.draft().enter("window-tile", "conv");
    EXPECT_TRUE(tile_window(s.draft(), "conv").ok());
    EXPECT_TRUE(program::check_code_size(s.program(), s.draft().machine().lanes()).ok());
    return s.nest("conv").find("kh 5 unrolled") != std::string::npos;
  };
  EXPECT_TRUE(unrolled(512));
  EXPECT_FALSE(unrolled(520)) << "8 channels in a tail of their own";
}

TEST(WindowTile, LeavesAloneWhatHasNoWindowOrNoLanes) {
  RuleSubject elementwise(kProduct);
  EXPECT_EQ(elementwise.apply(kWindowTile, "y"), Reason::NothingToDo);
  RuleSubject apart(R"(
    program p(x: f32[24, 100] input, y: f32[24] output) {
      for i in 24 { for k in 100 {
        block y(spatial i = i, reduce k = k) { y[i] += x[i, k] init 0.0 }
      } }
    })");
  EXPECT_EQ(apart.apply(kWindowTile, "y"), Reason::NothingToDo) << "lanes would be rows of x";
  Depthwise3x3 tiled(7, 16);
  tiled.tile();
  EXPECT_EQ(tiled.apply(kWindowTile, "conv"), Reason::NothingToDo) << "tiled already";
}

}  // namespace
}  // namespace cambium::schedule
