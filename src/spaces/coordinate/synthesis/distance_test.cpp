#include "spaces/coordinate/synthesis/distance.h"

#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

const std::vector<std::string> kPaper = {"Ci=8, Co=4, H=12, W=8, k=3, s=2"};

// The distance of coordinates of these sizes to [Ci, H, W].
int distance(std::initializer_list<const char*> sizes, bool weight_free = true, int weights = 2,
             int strides = 0) {
  Problem problem = problem_for("[Ci, H, W]", "[Co, H, W]", kPaper);
  Limits limits;
  limits.weight_free = weight_free;
  limits.weights = weights;
  limits.strides = strides;
  limits.merges = 4;
  limits.splits = 8;
  const auto space = Space::make(problem, limits).value();
  Distances distances(*space);
  State state;
  int axis = 0;
  for (const char* text : sizes) {
    const SizeId size = space->sizes.intern(space->problem.sizes.parse(text).value());
    state.data.push_back(space->coordinates.output(axis++, size));
  }
  return distances.least(state);
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

TEST(DistanceTest, IsInfiniteWhereElementsAreMissing) {
  EXPECT_EQ(distance({"Co", "H", "W"}), kFar);
  EXPECT_EQ(distance({"Ci", "H/s", "W"}), kFar);
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
