#include "model/recognize/view.h"

#include "model/recognize/soup_testing.h"

namespace cambium::model::recognition {
namespace {

std::vector<std::int64_t> extents(const std::vector<Atom>& atoms) {
  std::vector<std::int64_t> out;
  for (const Atom& atom : atoms) out.push_back(atom.extent);
  return out;
}

TEST(View, FollowsAWindowBackToTheImage) {
  Soup s;
  const Value x = s.input({2, 3, 8});
  const Value y = s.unfold(x, {2, 3, 2, 1, 1, 1}, Unfolding::Slices);
  Views views(s.builder());
  const View& view = views.of(y);
  EXPECT_EQ(view.base, x);
  ASSERT_EQ(view.dims.size(), 4u);
  EXPECT_EQ(view.dims[2], (std::vector<Atom>{{3, {0, 0, 1}}}));
  EXPECT_EQ(view.dims[3], (std::vector<Atom>{{4, {0, 0, 2}}}));
  EXPECT_EQ(view.coordinates[2].constant, -1);
  EXPECT_EQ(view.coordinates[2].low, 0);
  EXPECT_EQ(view.coordinates[2].high, 8);
}

TEST(View, SplitsTheAxesOfTheBaseWithAReshape) {
  Soup s;
  const Value x = s.input({6, 8});
  const Value y = s.transpose(s.reshape(x, {6, 2, 4}), {1, 0, 2});
  Views views(s.builder());
  const View& view = views.of(s.reshape(y, {12, 4}));
  EXPECT_EQ(view.base, x);
  EXPECT_EQ(view.coordinates.size(), 3u);
  EXPECT_EQ(extents(view.dims[0]), (std::vector<std::int64_t>{2, 6}));
}

TEST(View, KeepsTheBordersOfASliceThatIsPadded) {
  Soup s;
  const Value x = s.input({8});
  const Value y = s.pad(s.slice(x, 0, 2, 4), 0, 1, 1);
  Views views(s.builder());
  const View& view = views.of(y);
  EXPECT_EQ(view.base, x);
  EXPECT_EQ(view.coordinates[0].low, 2);
  EXPECT_EQ(view.coordinates[0].high, 6);
  EXPECT_EQ(view.coordinates[0].constant, 1);
}

TEST(View, JoinsPiecesThatWerePaddedOnTheirOwn) {
  Soup s;
  const Value x = s.input({1, 8});
  const Value left = s.pad(s.slice(x, 1, 0, 7), 1, 1, 0);
  const Value right = s.pad(s.slice(x, 1, 1, 7), 1, 0, 1);
  const Value y = s.builder().add(Concat{0}, {left, x, right});
  Views views(s.builder());
  const View& view = views.of(y);
  EXPECT_EQ(view.base, x);
  EXPECT_EQ(view.dims[0], (std::vector<Atom>{{3, {0, 1}}}));
  EXPECT_EQ(view.coordinates[1].constant, -1);
}

// Some of the steps carry from one axis of the base to the next.
TEST(View, ReadsStepsAsItReadsTheirTable) {
  Rng rng(1);
  int seen = 0, carried = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Ints dims = {rng.between(1, 4), rng.between(1, 6), rng.between(1, 4)};
    const std::int64_t elements = dims[0] * dims[1] * dims[2];
    const Ints likely = {0, 1, 2, dims[2], dims[2] + 1, 2 * dims[2], dims[1] * dims[2]};
    std::vector<Step> steps;
    std::int64_t count = 1, last = 0;
    for (std::int64_t levels = rng.between(0, 4); levels > 0; --levels) {
      steps.push_back({rng.between(1, 3), likely[rng.below(likely.size())]});
      count *= steps.back().extent;
      last += (steps.back().extent - 1) * steps.back().step;
    }
    if (last >= elements) continue;
    Soup s;
    const Value flat = s.reshape(s.input(dims), {elements});
    const auto gathered = [&](Tensor indices) {
      return s.builder().add(Gather{0}, {flat, s.builder().weight("i", std::move(indices))});
    };
    const Value lazy = gathered(Tensor::stepped({count}, steps));
    const Value table = gathered(Tensor::of<std::int64_t>({count}, elements_of(steps)));
    Views views(s.builder());
    const View &a = views.of(lazy), &b = views.of(table);
    ASSERT_EQ(a.base == lazy, b.base == table);
    if (b.base == table) {
      ++carried;
      continue;
    }
    ++seen;
    EXPECT_EQ(a.base, b.base);
    EXPECT_EQ(a.dims, b.dims);
    ASSERT_EQ(a.coordinates.size(), b.coordinates.size());
    for (std::size_t c = 0; c < a.coordinates.size(); ++c) {
      EXPECT_EQ(a.coordinates[c].extent, b.coordinates[c].extent);
      EXPECT_EQ(a.coordinates[c].constant, b.coordinates[c].constant);
    }
  }
  EXPECT_GT(seen, 200);
  EXPECT_GT(carried, 20);
}

TEST(View, EndsWhereElementsAreNotMovedAlongLines) {
  Soup s;
  const Value x = s.input({4, 6});
  const Value cut = s.reshape(s.slice(s.reshape(x, {24}), 0, 1, 15), {3, 5});
  const Value random = s.builder().add(Gather{0}, {x, s.indices({4}, {0, 3, 1, 3})});
  const Value reflected = s.builder().add(Pad{PadMode::Reflect, {1, 0, 1, 0}, 0}, {x});
  Views views(s.builder());
  for (const Value y : {cut, random, reflected}) EXPECT_NE(views.of(y).base, x);
}

}  // namespace
}  // namespace cambium::model::recognition
