#include "spaces/coordinate/synthesis/path.h"

#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/primitives/stride.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

const std::vector<std::string> kSame = {"N=1, C=64, H=56, W=56, k=3, s=2, g=4"};

Limits wide() {
  Limits limits;
  limits.strides = 2;
  limits.merges = 2;
  limits.coefficient_power = 4;
  limits.size_powers = 8;
  limits.occurrences = Limits::all_of(8);
  limits.weights = 3;
  return limits;
}

std::unique_ptr<Space> conv_space() {
  return space_for("[N, Ci, H, W]", "[N, Co, H, W]", kConv, wide());
}

std::string why_not(Space& space, const Operator& op) {
  return path_to(space, op).forbidden_by;
}

TEST(PathTest, ConvolutionIsInTheSpace) {
  const auto space = conv_space();
  Writer w(space->problem);
  const int i = w.sum("Ci"), a = w.sum("k"), b = w.sum("k");
  const int h = w.unfold(2, a), v = w.unfold(3, b);
  const Path path = path_to(*space, w.done({0, i, h, v}, {{1, i, a, b}}));
  EXPECT_EQ(path.forbidden_by, "");
  EXPECT_EQ(path.steps.size(), 6U);
}

TEST(PathTest, SeparableAndOneDimensionalConvolutionsAreInTheSpace) {
  const auto space = conv_space();
  Writer w(space->problem);
  const int i = w.sum("Ci"), a = w.sum("k"), b = w.sum("k");
  const int h = w.unfold(2, a), v = w.unfold(3, b);
  // Depthwise, then pointwise: two weights over the input channels.
  EXPECT_EQ(why_not(*space, w.done({0, i, h, v}, {{i, a, b}, {1, i}})), "");
  const auto one = space_for("[N, Ci, L]", "[N, Co, L]", {"N=1, Ci=8, Co=8, L=32, k=3"}, wide());
  Writer x(one->problem);
  const int j = x.sum("Ci"), c = x.sum("k");
  EXPECT_EQ(why_not(*one, x.done({0, j, x.unfold(2, c)}, {{1, j, c}})), "");
}

TEST(PathTest, GroupedConvolutionIsInTheSpace) {
  const auto space = conv_space();
  Writer w(space->problem);
  const int i = w.sum("Ci/g"), a = w.sum("k"), b = w.sum("k");
  const int group = w.high(1, "Co/g"), rest = w.low(1, "Co/g");
  const int c = w.split(group, i), h = w.unfold(2, a), v = w.unfold(3, b);
  EXPECT_EQ(why_not(*space, w.done({0, c, h, v}, {{rest, c, a, b}})), "");
}

TEST(PathTest, DilatedAndStridedConvolutionsAreInTheSpace) {
  const auto space = conv_space();
  Writer w(space->problem);
  const int i = w.sum("Ci"), a = w.sum("k"), b = w.sum("k");
  const int far = w.stride(a, "s"), wide_step = w.stride(b, "s");
  const int h = w.unfold(2, far), v = w.unfold(3, wide_step);
  EXPECT_EQ(why_not(*space, w.done({0, i, h, v}, {{1, i, a, b}})), "");
  const auto halved = space_for("[N, Ci, H, W]", "[N, Co, H/s, W/s]", kConv, wide());
  Writer x(halved->problem);
  const int j = x.sum("Ci"), c = x.sum("k"), d = x.sum("k");
  const int hh = x.unfold(x.stride(2, "s"), c), vv = x.unfold(x.stride(3, "s"), d);
  EXPECT_EQ(why_not(*halved, x.done({0, j, hh, vv}, {{1, j, c, d}})), "");
}

// The weight would read the whole STRIDE, but the data only a part of what is below.
TEST(PathTest, AStrideThatNoUnfoldConsumesIsRefusedWhateverTheRules) {
  for (const RuleSet& rules : {RuleSet(), RuleSet::none()}) {
    const auto space = space_for("[L]", "[L, L]", {"L=8, s=2"}, wide(), rules);
    Writer w(space->problem);
    EXPECT_EQ(why_not(*space, w.done({1}, {{w.stride(0, "s")}})),
              "a STRIDE is consumed by an UNFOLD");
    State state = space->states.unpack(space->root);
    Steps steps;
    offer(*space, state, kStride, steps);
    ASSERT_FALSE(steps.empty());
    const Finishing finishing(*space, apply(*space, state, steps[0]));
    EXPECT_FALSE(finishing.is_match());
    EXPECT_EQ(finishing.least_weights(2), std::nullopt);
  }
}

TEST(PathTest, DepthwiseConvolutionAndScalingAreInTheSpace) {
  const auto space = space_for("[N, C, H, W]", "[N, C, H, W]", kSame, wide());
  Writer w(space->problem);
  const int a = w.sum("k"), b = w.sum("k");
  EXPECT_EQ(why_not(*space, w.done({0, 1, w.unfold(2, a), w.unfold(3, b)}, {{1, a, b}})), "");
  Writer scale(space->problem);
  EXPECT_EQ(why_not(*space, scale.done({0, 1, 2, 3}, {{1}})), "");
}

TEST(PathTest, PoolingIsInTheSpaceWhereWeightsAreNotAskedFor) {
  Limits limits = wide();
  const auto asked = space_for("[N, C, H, W]", "[N, C, H/s, W/s]", kSame, limits);
  const auto pool = [](const Problem& problem) {
    Writer w(problem);
    const int a = w.sum("s"), b = w.sum("s");
    const int h = w.split(2, a), v = w.split(3, b);
    return w.done({0, 1, h, v}, {});
  };
  EXPECT_EQ(why_not(*asked, pool(asked->problem)), "weight_free");
  limits.weight_free = true;
  const auto free = space_for("[N, C, H, W]", "[N, C, H/s, W/s]", kSame, limits);
  EXPECT_EQ(why_not(*free, pool(free->problem)), "");
}

TEST(PathTest, PixelShuffleIsInTheSpace) {
  Limits limits = wide();
  limits.weight_free = true;
  const auto space = space_for("[N, s^2*C, H, W]", "[N, C, s*H, s*W]", kSame, limits);
  Writer w(space->problem);
  const int h = w.high(2, "s"), i = w.low(2, "s"), v = w.high(3, "s"), j = w.low(3, "s");
  const int c = w.split(1, w.split(i, j));
  EXPECT_EQ(why_not(*space, w.done({0, c, h, v}, {})), "");
}

TEST(PathTest, ShiftConvolutionIsInTheSpace) {
  const auto space = conv_space();
  Writer w(space->problem);
  const int i = w.sum("Ci");
  const int h = w.shift(2), v = w.shift(3);
  EXPECT_EQ(why_not(*space, w.done({0, i, h, v}, {{1, i}})), "");
}

TEST(PathTest, FullyConnectedAndHeadsAreInTheSpace) {
  const auto dense = space_for("[N, I]", "[N, O]", {"N=1, I=64, O=10"}, wide());
  Writer w(dense->problem);
  const int i = w.sum("I");
  EXPECT_EQ(why_not(*dense, w.done({0, i}, {{1, i}})), "");
  const auto heads =
      space_for("[N, S, C]", "[N, S, t*h*d]", {"N=1, S=16, C=64, t=3, h=4, d=16"}, wide());
  Writer x(heads->problem);
  const int j = x.sum("C");
  EXPECT_EQ(why_not(*heads, x.done({0, 1, j}, {{2, j}})), "");
}

TEST(PathTest, OperatorOneIsInTheSpaceOfThePaper) {
  const auto space = resnet_space();
  Writer w(space->problem);
  const int g = w.sum("g"), i = w.sum("Ci/g"), a = w.sum("k"), b = w.sum("k"),
            c = w.sum("Co/(g*s)");
  const int in = w.split(g, i), h = w.unfold(2, a), v = w.unfold(3, b);
  const Operator op = w.done({0, in, h, v}, {{g, a, b, 1, c}, {in, b, c}});
  EXPECT_EQ(why_not(*space, op), "");
}

TEST(PathTest, OperatorTwoIsInTheSpaceOfThePaper) {
  const auto space = resnet_space();
  Writer w(space->problem);
  const int g = w.sum("g"), i = w.sum("Ci/g"), a = w.sum("k"), b = w.sum("k"),
            c = w.sum("Co/(g*s)");
  const int in = w.split(g, i), h = w.shift(w.unfold(2, a)), v = w.unfold(3, b);
  const Operator op = w.done({0, in, h, v}, {{1, g, a, c}, {in, b, c}});
  EXPECT_EQ(why_not(*space, op), "");
}

TEST(PathTest, StackedConvolutionIsInTheSpaceOfThePaper) {
  const auto space = resnet_space();
  Writer w(space->problem);
  const int i = w.sum("Ci"), a = w.sum("k"), b = w.sum("k"), c = w.sum("Co/(g*s)");
  const int h = w.unfold(2, a), v = w.unfold(3, b);
  EXPECT_EQ(why_not(*space, w.done({0, i, h, v}, {{1, a, c}, {i, b, c}})), "");
}

TEST(PathTest, GptProjectionIsInTheSpace) {
  // Y[n, t, j] = sum over r of X[n, t, (j % P) / Q * (H/k) + r] * W[j / P, r, j % Q]
  Limits limits = wide();
  limits.size_powers = 10;
  const auto space = space_for("[N, S, H]", "[N, S, t*H]", {"N=1, S=8, H=768, k=2, t=3"}, limits);
  Writer w(space->problem);
  const int r = w.sum("H/k");
  const int group = w.high(2, "H/(k^3*t)"), in_group = w.low(2, "H/(k^3*t)");
  const int half = w.high(in_group, "H/(k^4*t)"), rest = w.low(in_group, "H/(k^4*t)");
  const int data = w.split(half, r);
  EXPECT_EQ(why_not(*space, w.done({0, 1, data}, {{group, r, rest}})), "");
}

TEST(PathTest, NamesTheRuleThatForbids) {
  const auto space = conv_space();
  Writer w(space->problem);
  const int i = w.sum("Ci/g"), g = w.sum("g");
  const int c = w.split(g, i);
  EXPECT_EQ(why_not(*space, w.done({0, c, 2, 3}, {{1, c}})), "idle-split");
  EXPECT_EQ(why_not(*space, w.done({0, c, 2, 3}, {{1, g, i}})), "read-after-split");
  Writer x(space->problem);
  const int j = x.sum("Ci");
  EXPECT_EQ(why_not(*space, x.done({0, j, 2, 3}, {{1, j}, {j}})), "weight-in-weight");
  Writer y(space->problem);
  const int l = y.sum("Ci"), r = y.sum("k");
  EXPECT_EQ(why_not(*space, y.done({0, l, 2, 3}, {{1, l, r}})), "sum-in-one-weight");
  Writer z(space->problem);
  const int m = z.sum("Ci");
  EXPECT_EQ(why_not(*space, z.done({0, z.shift(m), 2, 3}, {{1, m}})), "shift-of-reduce");
}

TEST(PathTest, NamesTheLimitThatForbids) {
  Limits limits = wide();
  limits.unfolds = 1;
  const auto space = space_for("[N, Ci, H, W]", "[N, Co, H, W]", kConv, limits);
  Writer w(space->problem);
  const int i = w.sum("Ci"), a = w.sum("k"), b = w.sum("k");
  const int h = w.unfold(2, a), v = w.unfold(3, b);
  EXPECT_EQ(why_not(*space, w.done({0, i, h, v}, {{1, i, a, b}})), "limits of UNFOLD");
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
