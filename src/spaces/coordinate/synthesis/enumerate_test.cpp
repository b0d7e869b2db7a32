#include "spaces/coordinate/synthesis/enumerate.h"

#include <map>
#include <set>

#include "spaces/coordinate/check.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/rules/rules.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

Limits small(int primitives) {
  Limits limits;
  limits.primitives = primitives;
  limits.reductions = 3;
  limits.coefficient_power = 1;
  limits.expands = 1;
  limits.strides = 1;
  limits.window_ratio = 1;
  limits.weight_axes = 3;
  return limits;
}

std::unique_ptr<Space> line(Limits limits) {
  return space_for("[N, C, L]", "[N, D, L]", {"N=1, C=4, D=6, L=12, k=3"}, limits);
}

TEST(EnumerateTest, GivesLegalOperatorsEachOnce) {
  const auto space = line(small(5));
  Reach reach(*space);
  std::set<Fingerprint> seen;
  std::size_t count = 0;
  enumerate(*space, reach, [&](StateId, const Finishing& finishing, const Choice& choice) {
    const Operator op = finish(*space, finishing.anatomy(), choice);
    const Status legal = check(space->problem, op);
    EXPECT_TRUE(legal.ok()) << legal.rejection().message() << "\n" << to_text(space->problem, op);
    EXPECT_TRUE(seen.insert(identity(space->problem, op)).second) << to_text(space->problem, op);
    return ++count < 20000;
  });
  EXPECT_GT(count, 100U);
}

// The same by brute force: all orders of steps, with a memory of what was seen.
std::set<Fingerprint> by_brute_force(Space& space) {
  std::set<StateId> seen = {space.root};
  std::vector<StateId> all = {space.root};
  std::set<Fingerprint> operators;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const State state = space.states.unpack(all[i]);
    const int left = space.limits.primitives - state.counts.all();
    const Finishing finishing(space, all[i]);
    for (int weights = 0; weights <= std::min(left, space.limits.weights); ++weights) {
      finishing.each(weights, [&](const Choice& choice) {
        const Operator op = finish(space, finishing.anatomy(), choice);
        operators.insert(identity(space.problem, op));
        return true;
      });
    }
    Steps steps;
    offer_reductions(space, state, steps);
    offer_views(space, state, steps);
    for (const Step& step : steps) {
      if (forbidding(space, state, step) != nullptr) continue;
      const StateId next = apply(space, state, step);
      if (seen.insert(next).second) all.push_back(next);
    }
  }
  return operators;
}

TEST(EnumerateTest, FindsAllThatBruteForceFinds) {
  const auto space = line(small(4));
  const std::set<Fingerprint> truth = by_brute_force(*space);
  Reach reach(*space);
  std::set<Fingerprint> found;
  enumerate(*space, reach, [&](StateId, const Finishing& finishing, const Choice& choice) {
    found.insert(identity(space->problem, finish(*space, finishing.anatomy(), choice)));
    return true;
  });
  EXPECT_EQ(found, truth);
  EXPECT_GT(truth.size(), 10U);
}

TEST(ReachTest, IsExact) {
  const auto space = line(small(4));
  // The steps that each state needs at least, from the end.
  std::map<StateId, std::vector<StateId>> next;
  std::vector<StateId> all = {space->root};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const State state = space->states.unpack(all[i]);
    Steps steps;
    offer_reductions(*space, state, steps);
    const std::size_t reductions = steps.size();
    offer_views(*space, state, steps);
    auto& children = next[all[i]];
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (forbidding(*space, state, steps[s]) != nullptr) continue;
      const StateId child = apply(*space, state, steps[s]);
      if (s >= reductions) children.push_back(child);  // reach is asked after reductions
      if (next.emplace(child, std::vector<StateId>()).second) all.push_back(child);
    }
  }
  Reach reach(*space);
  std::map<StateId, int> need;
  for (std::size_t i = all.size(); i-- > 0;) {  // children have more primitives, so come later
    int least = kFar;
    if (const auto weights = reach.weights_needed(all[i])) least = *weights;
    for (const StateId child : next[all[i]]) least = std::min(least, 1 + need[child]);
    need[all[i]] = least;
  }
  int finishable = 0;
  for (const StateId id : all) {
    const int left = space->limits.primitives - space->states.counts(id).all();
    EXPECT_EQ(reach.can_finish(id, left), need[id] <= left)
        << space->states.text(id, space->problem.sizes);
    EXPECT_LE(reach.least(id), need[id]);
    finishable += need[id] <= left;
  }
  EXPECT_GT(finishable, 10);
}

TEST(CensusTest, CountsWhatIsListed) {
  const auto space = line(small(5));
  Reach reach(*space);
  std::uint64_t count = 0;
  enumerate(*space, reach, [&](StateId, const Finishing&, const Choice&) { return ++count, true; });
  const auto census = Census::of(*space, reach, 1 << 20);
  ASSERT_TRUE(census.ok());
  EXPECT_EQ(census->operators(), count);
  std::uint64_t sum = 0;
  for (const std::uint64_t n : census->by_size()) sum += n;
  EXPECT_EQ(sum, count);
}

TEST(CensusTest, RefusesASpaceThatIsTooLarge) {
  const auto space = line(small(5));
  Reach reach(*space);
  EXPECT_EQ(Census::of(*space, reach, 20).rejection().reason(), Reason::TooLarge);
}

TEST(CensusTest, DrawsEachOperatorAsOften) {
  const auto space = line(small(3));
  Reach reach(*space);
  const auto census = Census::of(*space, reach, 1 << 20);
  ASSERT_TRUE(census.ok());
  Rng rng(7);
  std::map<Fingerprint, int> drawn;
  const int each = 50;
  const auto all = static_cast<int>(census->operators());
  for (int i = 0; i < each * all; ++i) {
    const Census::Drawn one = census->draw(*space, rng);
    Anatomy anatomy;
    ASSERT_TRUE(dissect(*space, one.state, anatomy));
    ++drawn[identity(space->problem, finish(*space, anatomy, one.choice))];
  }
  EXPECT_EQ(drawn.size(), census->operators());
  for (const auto& [name, count] : drawn) {
    EXPECT_GT(count, each / 3);
    EXPECT_LT(count, each * 2);
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
