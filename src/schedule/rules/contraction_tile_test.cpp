#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/rule_testing.h"
#include "schedule/rules/small_operators_testing.h"

namespace cambium::schedule {
namespace {

const Rule kContractionTile{"contraction-tile", "", tile_contraction};

// The rule on a block, with the answers to some of its questions; it must not refuse.
class Tiled : public RuleSubject {
 public:
  Tiled(const std::string& text, const std::string& block, const Options& options = {})
      : RuleSubject(text) {
    want_options("contraction-tile/" + block + "/", options);
    EXPECT_EQ(apply(kContractionTile, block), std::nullopt);
  }
};

TEST(ContractionTile, KeepsATileInRegistersThroughTheWholeReduction) {
  Tiled s(matmul_text(12, 32, 20), "dot", {{"tile", "4x2"}, {"unroll", "4"}});
  EXPECT_EQ(s.nest("dot"),
            "j.2.0 1, i.2.0 3, k.0 5, k.1 4 unrolled, i 4 unrolled, j.0 2 unrolled, "
            "j.1 16 vectorized");
  EXPECT_EQ(s.nest("dot.init"),
            "j.2.0 1, i.2.0 3, i.2 4 unrolled, j.0.2 2 unrolled, j.1.2 16 vectorized");
  EXPECT_EQ(s.nest("out"),
            "j.2.0 1, i.2.0 3, i.2.1 4 unrolled, j.2.1 2 unrolled, j.2.2 16 vectorized")
      << "the epilogue reads registers";
  EXPECT_TRUE(s.has("local acc: f32[4, 32] @space(\"register\")")) << s.text();
}

TEST(ContractionTile, MakesSmallerTilesOfTailsInsteadOfPredicates) {
  Tiled s(matmul_text(13, 32, 20), "dot", {{"tile", "5x2"}, {"unroll", "1"}});
  EXPECT_EQ(s.nest("dot"),
            "j.2.0 1, i.2.0 2, k 20, i 5 unrolled, j.0 2 unrolled, j.1 16 vectorized");
  EXPECT_EQ(s.nest("dot.2"),
            "j.2.0 1, i.2.0.2 1, k.2 20, i.3 3 unrolled, j.0.3 2 unrolled, j.1.3 16 vectorized");
  EXPECT_FALSE(s.has(" if ")) << s.text();
}

TEST(ContractionTile, PacksConstantsIntoPanelsAsWideAsTheTile) {
  Tiled s(matmul_text(8, 96, 20), "dot", {{"tile", "4x3"}});
  EXPECT_TRUE(s.has("local w.cache: f32[2, 20, 48]")) << s.text();
  EXPECT_TRUE(s.has("* w.cache[j/48, k, j % 48]")) << s.text();
}

TEST(ContractionTile, FillsTheVectorsOfNarrowPanelsWithZeros) {
  Tiled s(matmul_text(8, 40, 21), "dot", {{"tile", "8x3"}});
  EXPECT_TRUE(s.has("local w.cache: f32[21, 48]")) << s.text();
  EXPECT_TRUE(s.has("select([d0 < 40], w[d0, d1], 0.0)")) << s.text();
}

TEST(ContractionTile, MayReadAnInputAsItLies) {
  const std::string text(kProduct);
  EXPECT_TRUE(Tiled(text, "t", {{"right", "packed"}}).has("local b.cache: f32[10, 32]"));
  EXPECT_FALSE(Tiled(text, "t", {{"right", "as it is"}}).has(".cache"));
}

TEST(ContractionTile, AddsUpTermsThatShareAVector) {
  Tiled s(matmul_text(8, 24, 32), "dot",
          {{"terms in lanes", "2"}, {"tile", "8x3"}, {"unroll", "4"}});
  EXPECT_EQ(s.nest("acc.part"),
            "j.2.0 1, i.2.0 1, k.0.0 4, k.0.1 4 unrolled, i 8 unrolled, j.0 3 unrolled, "
            "j.1.k.1 16 vectorized")
      << "8 columns of 2 terms in each vector";
  EXPECT_TRUE(s.has("local w.cache: f32[16, 24, 2]")) << s.text();
  EXPECT_TRUE(s.has("local acc.part: f32[8, 24, 2] @space(\"register\")")) << s.text();
  EXPECT_TRUE(s.has("local acc: f32[8, 24] @space(\"register\")")) << s.text();
}

constexpr Conv kPadded{6, 8, 16, 3, 1, 1, 1};

TEST(ContractionTile, CopiesThePaddingOrSkipsIt) {
  Tiled copied(conv_text(kPadded), "conv", {{"padding", "copied"}});
  EXPECT_TRUE(copied.has("local pad: f32[1, 8, 8, 8]")) << copied.text();
  Tiled skipped(conv_text(kPadded), "conv", {{"padding", "skipped"}, {"unroll", "1"}});
  EXPECT_FALSE(skipped.has("local pad")) << skipped.text();
  EXPECT_NE(skipped.nest("conv").find("kw 3 unrolled"), std::string::npos)
      << "taps that are outside of the image are left out of the code: " << skipped.nest("conv");
}

TEST(ContractionTile, TilesAllPixelsOrThoseOfARow) {
  const std::string conv = conv_text({6, 8, 16, 3, 1, 0, 1});
  Tiled merged(conv, "conv", {{"pixels", "merged"}, {"tile", "8x1"}, {"unroll", "1"}});
  EXPECT_EQ(merged.nest("conv"),
            "c.2.0 1, n.3.oh.2.ow.2.0 2, kh 3, kw 3, ic 8, n.oh.ow 8 unrolled, oc 16 vectorized");
  Tiled rows(conv, "conv", {{"pixels", "by rows"}, {"tile", "4x1"}, {"unroll", "1"}});
  EXPECT_EQ(rows.nest("conv"),
            "n.3 1, oh.2 4, c.2.0 1, ow.2.0 1, kh 3, kw 3, ic 8, ow 4 unrolled, oc 16 vectorized");
}

TEST(ContractionTile, GoesThroughTheWindowOncePerBlockOfChannels) {
  Tiled s(conv_text({4, 32, 16, 3, 1, 0, 1}), "conv",
          {{"pixels", "by rows"}, {"channels", "16"}, {"unroll", "1"}});
  EXPECT_NE(s.nest("conv").find("ic.0 2, kh 3, kw 3, ic.1 16, "), std::string::npos)
      << s.nest("conv");
  EXPECT_TRUE(s.has("local w.cache: f32[2, 3, 3, 16, 16]")) << "in the order of the loops";
}

TEST(ContractionTile, PrefetchesAsFarAheadAsChosen) {
  const std::string text = matmul_text(12, 32, 20);
  EXPECT_TRUE(Tiled(text, "dot", {{"prefetch", "4"}}).has("@prefetch(4)"));
  EXPECT_FALSE(Tiled(text, "dot", {{"prefetch", "0"}}).has("@prefetch"));
}

// y[i] = the sum over k of x[i, k] * v[k]
std::string matrix_times_vector(std::string_view role) {
  return "program p(x: f32[24, 100] " + std::string(role) +
         ", v: f32[100] input, y: f32[24] output) { for i in 24 { for k in 100 { block y(spatial i "
         "= i, reduce k = k) { y[i] += x[i, k] * v[k] init 0.0 } } } }";
}

TEST(ContractionTile, LeavesAMatrixTimesAVectorToSumsAlongItsRows) {
  RuleSubject s(matrix_times_vector("input"));
  EXPECT_EQ(s.apply(kContractionTile, "y"), Reason::NothingToDo);
  EXPECT_EQ(s.trace(), "");
  EXPECT_TRUE(Tiled(matrix_times_vector("constant"), "y").has("x.cache"))
      << "a constant is packed before the kernel runs";
}

TEST(ContractionTile, LeavesWhatIsNoContraction) {
  RuleSubject s(conv_text({6, 16, 16, 3, 1, 0, 16}));
  EXPECT_EQ(s.apply(kContractionTile, "conv"), Reason::NothingToDo) << "depthwise";
  EXPECT_EQ(s.apply(kContractionTile, "relu"), Reason::NothingToDo) << "elementwise";
  EXPECT_EQ(s.trace(), "");
}

}  // namespace
}  // namespace cambium::schedule
