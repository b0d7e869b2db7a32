#include <algorithm>
#include <map>
#include <set>

#include "spaces/coordinate/synthesis/distance.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

using Shape = std::vector<SizeId>;  // sorted

// All shapes that one primitive makes of a shape, without rules: SPLIT, MERGE, and elimination of
// any set of coordinates by one CONTRACTION.
std::set<Shape> after_one(Space& space, const Shape& shape) {
  std::set<Shape> all;
  const auto add = [&](Shape next) {
    std::sort(next.begin(), next.end());
    all.insert(std::move(next));
  };
  for (std::size_t i = 0; i < shape.size(); ++i) {
    for (const Block& block : space.sizes.blocks(shape[i])) {
      Shape next = shape;
      next[i] = block.block;
      next.push_back(block.rest);
      if (next.size() <= 5) add(std::move(next));
    }
    for (std::size_t j = i + 1; j < shape.size(); ++j) {
      const SizeId product = space.sizes.product(shape[i], shape[j]);
      if (!space.sizes.legal(product)) continue;
      Shape next = shape;
      next[i] = product;
      next.erase(next.begin() + static_cast<std::ptrdiff_t>(j));
      add(std::move(next));
    }
  }
  for (std::uint32_t gone = 1; gone < (1U << shape.size()); ++gone) {
    Shape next;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if ((gone >> i & 1) == 0) next.push_back(shape[i]);
    }
    add(std::move(next));
  }
  return all;
}

// True distances of all shapes, backwards from the input as far as `most`.
int true_distance(Space& space, const Shape& from, const Shape& to, int most) {
  std::set<Shape> seen = {from}, front = {from};
  for (int steps = 0; steps <= most; ++steps) {
    if (front.count(to) != 0) return steps;
    std::set<Shape> next;
    for (const Shape& shape : front) {
      for (const Shape& other : after_one(space, shape)) {
        if (seen.insert(other).second) next.insert(other);
      }
    }
    front = std::move(next);
  }
  return kFar;
}

TEST(DistanceProperty, IsNeverAboveTheTrueDistanceAndMostlyEqual) {
  Problem problem = problem_for("[A, B]", "[B, A]", {"A=4, B=6, s=2"});
  Limits limits;
  limits.weight_free = true;
  limits.splits = 8;
  limits.merges = 4;
  limits.coefficient_power = 1;
  const auto space = Space::make(problem, limits).value();
  Distances distances(*space);
  Shape input(space->input.begin(), space->input.end());
  std::sort(input.begin(), input.end());
  // Every multiset of up to three sizes.
  std::vector<SizeId> sizes(space->sizes.parameters().begin(), space->sizes.parameters().end());
  std::sort(sizes.begin(), sizes.end());
  int compared = 0, equal = 0;
  const auto compare = [&](const Shape& shape) {
    State state;
    for (const SizeId s : shape) {
      state.data.push_back(space->coordinates.output(static_cast<int>(state.data.size()), s));
    }
    const int least = distances.least(state);
    const int truth = true_distance(*space, shape, input, 3);
    if (truth == kFar) return;
    ++compared;
    equal += least == truth;
    EXPECT_LE(least, truth) << space->states.text(space->states.intern(state), problem.sizes);
  };
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    compare({sizes[a]});
    for (std::size_t b = a; b < sizes.size(); ++b) {
      compare({sizes[a], sizes[b]});
      for (std::size_t c = b; c < sizes.size(); ++c) compare({sizes[a], sizes[b], sizes[c]});
    }
  }
  EXPECT_GT(compared, 20);
  EXPECT_GE(equal * 10, compared * 9) << equal << " of " << compared;
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
