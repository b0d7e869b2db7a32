#include "spaces/coordinate/synthesis/distance.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/sample.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

const std::vector<std::string> kPaper = {"Ci=8, Co=4, H=12, W=8, k=3, s=2"};

// The distance of coordinates of these sizes to [Ci, H, W], of a state that holds so many
// primitives.
int distance(std::initializer_list<const char*> sizes, const Limits& limits,
             const Counts& counts = {}) {
  const auto space = Space::make(problem_for("[Ci, H, W]", "[Co, H, W]", kPaper), limits).value();
  Distances distances(*space);
  State state;
  state.counts = counts;
  int axis = 0;
  for (const char* text : sizes) {
    const SizeId size = space->sizes.intern(space->problem.sizes.parse(text).value());
    state.data.push_back(space->coordinates.output(axis++, size));
  }
  return distances.least(state);
}

int distance(std::initializer_list<const char*> sizes, bool weight_free = true, int weights = 2,
             int strides = 0) {
  Limits limits;
  limits.weight_free = weight_free;
  limits.weights = weights;
  limits.strides = strides;
  limits.merges = 4;
  limits.splits = 8;
  return distance(sizes, limits);
}

TEST(DistanceTest, IsThatOfThePaperOnItsExample) {
  EXPECT_EQ(distance({"Ci", "H/s", "s*W", "k"}), 3);
  EXPECT_EQ(distance({"Ci", "H/s", "s*W"}), 2);
  EXPECT_EQ(distance({"Ci", "H", "W", "k"}), 1);
  EXPECT_EQ(distance({"Ci", "H", "W"}), 0);
}

TEST(DistanceTest, OneContractionEliminatesMany) {
  EXPECT_EQ(distance({"Co", "H", "W", "Ci", "k", "k"}), 1);
  EXPECT_EQ(distance({"Co", "H", "W", "Ci", "k", "k"}, true, 0), 3);  // one by one
}

TEST(DistanceTest, APartThatIsEliminatedMustBeMergedOff) {
  EXPECT_EQ(distance({"Ci", "s*H", "W"}), 2);
  EXPECT_EQ(distance({"Ci", "H*W"}), 1);
  EXPECT_EQ(distance({"Ci*H*W"}), 2);
  EXPECT_EQ(distance({"Ci", "H", "W/s", "s"}), 1);
}

TEST(DistanceTest, AWeightCounts) {
  EXPECT_EQ(distance({"Ci", "H", "W"}, false), 1);
  EXPECT_EQ(distance({"Ci", "H", "W", "k"}, false), 1);  // it eliminates too
}

TEST(DistanceTest, NumbersAreSizesToo) {
  const auto space = space_for("[3, L]", "[L, 3]", {"L=8"});
  Distances distances(*space);
  EXPECT_EQ(distances.least(space->states.unpack(space->root)), 1);  // a weight
}

// Each takes an UNFOLD besides, which eliminates a window.
TEST(DistanceTest, AStrideBringsWhatIsMissing) {
  EXPECT_EQ(distance({"Ci", "H/s", "W", "k"}, true, 2, 1), 2);
  EXPECT_EQ(distance({"Ci", "H/s", "W", "k"}, false, 2, 1), 3);
  EXPECT_EQ(distance({"Ci", "H/s", "W/s", "k", "k"}, true, 2, 2), 4);
  EXPECT_EQ(distance({"Co", "H", "W"}, true, 2, 2), kFar);  // steps hold no such variable
}

// Without weights a window or an EXPAND eliminates a coordinate each.
TEST(DistanceTest, WhatIsUsedUpEliminatesNothing) {
  Limits limits;
  limits.weight_free = true;
  limits.weights = 0;
  limits.unfolds = limits.expands = 1;
  const auto far = [&](std::uint8_t unfolds, std::uint8_t expands) {
    Counts counts;
    counts.unfolds = unfolds;
    counts.expands = expands;
    return distance({"Ci", "H", "W", "k", "k"}, limits, counts);
  };
  EXPECT_EQ(far(0, 0), 2);
  EXPECT_EQ(far(1, 0), 2);  // a SPLIT makes one of both
  EXPECT_EQ(far(0, 1), 2);
  EXPECT_EQ(far(1, 1), kFar);
  EXPECT_EQ(distance({"Ci", "H", "W"}, limits, Counts{.unfolds = 1, .expands = 1}), 0);
}

// A variable that no weight may read is left to windows and EXPANDs.
TEST(DistanceTest, WhatNoWeightMayReadNeedsAWindowOrAnExpand) {
  Limits limits;
  limits.unfolds = limits.expands = 1;
  limits.occurrences = Limits::all_of(0);
  const auto far = [&](std::uint8_t unfolds, std::uint8_t expands) {
    Counts counts;
    counts.unfolds = unfolds;
    counts.expands = expands;
    return distance({"Ci", "H", "W", "Co"}, limits, counts);
  };
  EXPECT_EQ(far(0, 0), 1);
  EXPECT_EQ(far(1, 0), 1);
  EXPECT_EQ(far(0, 1), 1);  // Co/s^2 is a window
  EXPECT_EQ(far(1, 1), kFar);
}

TEST(DistanceTest, IsTheSameWhereLittleIsRemembered) {
  const auto space = resnet_space();
  Distances all(*space), few(*space, 50);
  Sampler sampler(*space, {});
  for (int i = 0; i < 100; ++i) sampler.trial();
  const auto states = static_cast<StateId>(std::min<std::size_t>(space->states.count(), 5000));
  for (StateId id = 0; id < states; ++id) {
    const State state = space->states.unpack(id);
    ASSERT_EQ(few.least(state), all.least(state));
    ASSERT_LE(few.count(), 50U);
  }
  EXPECT_GT(all.count(), 500U);
  EXPECT_LT(few.bytes(), 20'000U);
}

TEST(DistanceTest, IsInfiniteWhereElementsAreMissing) {
  EXPECT_EQ(distance({"Co", "H", "W"}), kFar);
  EXPECT_EQ(distance({"Ci", "H/s", "W"}), kFar);
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
