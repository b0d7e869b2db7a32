#include "spaces/coordinate/synthesis/state.h"

#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/sample.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

// Applies steps given as functions of the state.
StateId reduced(Space& space, std::initializer_list<const char*> sizes) {
  StateId id = space.root;
  for (const char* text : sizes) {
    const SizeId size = space.sizes.intern(space.problem.sizes.parse(text).value());
    id = apply(space, space.states.unpack(id), {PrimitiveKind::Reduce, size, kNoCoord, kNoCoord});
  }
  return id;
}

TEST(StatesTest, TheOrderOfStepsDoesNotMatter) {
  const auto space = space_for("[N, Ci, H, W]", "[N, Co, H, W]", kConv);
  const State root = space->states.unpack(space->root);
  const Step h{PrimitiveKind::Shift, kSizeOne, space->outputs[1], kNoCoord};
  const Step w{PrimitiveKind::Shift, kSizeOne, space->outputs[2], kNoCoord};
  const StateId one = apply(*space, space->states.unpack(apply(*space, root, h)), w);
  const StateId other = apply(*space, space->states.unpack(apply(*space, root, w)), h);
  EXPECT_EQ(one, other);
  EXPECT_EQ(space->states.counts(one).shifts, 2);
}

TEST(StatesTest, EqualReductionsAreInterchangeable) {
  const auto space = space_for("[N, Ci, H, W]", "[N, Co, H, W]", kConv);
  const StateId stage = reduced(*space, {"k", "k"});
  const auto reductions = space->states.reductions(stage);
  ASSERT_EQ(reductions.size(), 2U);
  const CoordId a = reductions[0], b = reductions[1];
  const State state = space->states.unpack(stage);
  const CoordId h = space->outputs[1], w = space->outputs[2];
  const auto both = [&](CoordId first, CoordId second) {
    State s = state;
    row(PrimitiveKind::Unfold).apply(*space, {PrimitiveKind::Unfold, kSizeOne, h, first}, s);
    row(PrimitiveKind::Unfold).apply(*space, {PrimitiveKind::Unfold, kSizeOne, w, second}, s);
    return space->states.intern(s);
  };
  EXPECT_EQ(both(a, b), both(b, a));
}

TEST(StatesTest, TheFixedAxisIsNotThere) {
  const auto space = space_for("[N, Ci, H, W]", "[N, Co, H, W]", kConv);
  EXPECT_EQ(space->outputs.size(), 3U);
  EXPECT_EQ(space->input.size(), 3U);
  EXPECT_EQ(space->input_axes[0], 1);
}

TEST(StatesTest, TakeLessThan200Bytes) {
  const auto space = resnet_space();
  Sampler sampler(*space, {});
  for (int i = 0; i < 300; ++i) sampler.trial();
  const double bytes = static_cast<double>(space->states.bytes() + space->coordinates.bytes()) /
                       static_cast<double>(space->states.count());
  RecordProperty("bytes_per_state", std::to_string(bytes));
  EXPECT_LT(bytes, 200);
}

TEST(SpaceTest, RefusesLimitsThatNothingKeeps) {
  const Problem problem = problem_for("[N, C]", "[N, C]", {"N=1, C=4"});
  Limits limits;
  limits.primitives = 0;
  EXPECT_EQ(Space::make(problem, limits).rejection().message(), "primitives: must lie in 1..24");
  limits = Limits();
  limits.weights = 0;
  EXPECT_EQ(Space::make(problem, limits).rejection().reason(), Reason::BadOption);
}

TEST(SpaceTest, RefusesMoreSizesThanThereAreIds) {
  const Problem problem =
      problem_for("[A, B, C, D]", "[A, B, C, D]",
                  {"A=2, B=2, C=2, D=2, a=2, b=2, c=2, d=2, e=2, f=2, g=2, h=2"});
  Limits limits;
  EXPECT_TRUE(Space::make(problem, limits).ok());
  limits.coefficient_power = 3;
  limits.size_powers = 12;
  const auto space = Space::make(problem, limits);
  ASSERT_FALSE(space.ok());
  EXPECT_EQ(space.rejection().reason(), Reason::SizeOutOfRange);
  EXPECT_NE(space.rejection().message().find("the number of different sizes"), std::string::npos);
}

TEST(SpaceTest, PaddingMakesSizesWholeThatShapesCanBePaddedTo) {
  const Problem problem = problem_for("[N, C]", "[N, C]", {"N=1, C=7, g=2, k=3"});
  Limits limits;
  const auto plain = Space::make(problem, limits).value();
  limits.pad = true;
  const auto padded = Space::make(problem, limits).value();
  const auto id = [&](Space& space, const char* text) {
    return space.sizes.intern(problem.sizes.parse(text).value());
  };
  EXPECT_FALSE(plain->sizes.legal(id(*plain, "C/g")));
  EXPECT_TRUE(padded->sizes.legal(id(*padded, "C/g")));
  EXPECT_EQ(padded->sizes.values(id(*padded, "C/g"))[0], 4);
  EXPECT_FALSE(padded->sizes.legal(id(*padded, "k/g")));  // no shape holds k
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
