#include "tune/mutate.h"

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace cambium::tune {
namespace {

using schedule::Decisions;
using schedule::Trace;

// Decisions of three blocks under two rules; the structural one decides what follows in its place.
Trace some_trace(bool is_packed) {
  using namespace schedule;
  Trace trace;
  trace.push_back({SampleCategorical{"pack/conv/how", {"no", "yes"}, {}, true, is_packed}, {}});
  if (is_packed) trace.push_back({SampleLayout{"pack/conv/order", "w", {"a", "b"}, {}, 1}, {}});
  trace.push_back({SamplePerfectTile{"tile/conv/i", 64, 3, 64, {8, 4, 2}}, {}});
  trace.push_back({Split{"i", {8, 4, 2}, Tail::Exact}, {}});
  trace.push_back({SampleMicroKernel{"tile/conv/registers", {4, 6, 8}, {2, 4, 3}, {}, 0}, {}});
  trace.push_back({SampleComputeLocation{"place/pad/at", "pad", {"root", "i.0", "inline"}, 1}, {}});
  trace.push_back({SampleCategorical{"loops/relu/parallel", {"1", "2", "4"}, {}, false, 1}, {}});
  trace.push_back({SampleCategorical{"loops/relu/unroll", {"0", "16", "64"}, {}, false, 2}, {}});
  return trace;
}

TEST(Mutate, TellsKindsOfDecisionsApart) {
  const Trace trace = some_trace(true);
  std::vector<std::optional<DecisionKind>> kinds;
  for (const auto& record : trace) kinds.push_back(kind_of(record.step));
  const std::vector<std::optional<DecisionKind>> wanted = {
      DecisionKind::Structure,   DecisionKind::Layout,
      DecisionKind::Tile,        std::nullopt,
      DecisionKind::MicroKernel, DecisionKind::Location,
      DecisionKind::Parallel,    DecisionKind::Number};
  EXPECT_EQ(kinds, wanted);
}

TEST(Mutate, ChangesOneDecisionToALegalNeighbourByTheWeightOfItsKind) {
  const Trace trace = some_trace(true);
  const Decisions before = schedule::decisions_of(trace);
  std::map<std::string, int> counts;
  Rng rng(1);
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const auto change = mutation(trace, rng);
    ASSERT_TRUE(change.has_value());
    EXPECT_NE(change->decision, before.at(change->key));
    ++counts[change->key];
  }
  const std::map<std::string, DecisionKind> kinds = {
      {"pack/conv/how", DecisionKind::Structure},
      {"pack/conv/order", DecisionKind::Layout},
      {"tile/conv/i", DecisionKind::Tile},
      {"tile/conv/registers", DecisionKind::MicroKernel},
      {"place/pad/at", DecisionKind::Location},
      {"loops/relu/parallel", DecisionKind::Parallel},
      {"loops/relu/unroll", DecisionKind::Number}};
  for (const auto& [key, kind] : kinds) {
    const double expected = kDraws * kMutationWeights[static_cast<std::size_t>(kind)];
    EXPECT_NEAR(counts[key], expected, 5 * std::sqrt(expected)) << key;
  }
}

TEST(Mutate, DrawsAnyDecisionAgain) {
  const Trace trace = some_trace(true);
  std::set<std::string> keys;
  Rng rng(2);
  for (int i = 0; i < 200; ++i) keys.insert(redraw(trace, rng)->key);
  EXPECT_EQ(keys.size(), 7U);
}

TEST(Mutate, GivesNothingWhereNothingWasDecided) {
  Rng rng(3);
  EXPECT_FALSE(mutation({}, rng).has_value());
  EXPECT_FALSE(redraw({}, rng).has_value());
}

TEST(Crossover, KeepsDecisionsThatDependOnAStructureTogether) {
  using namespace schedule;
  Trace first = some_trace(true);
  Trace second = some_trace(false);
  std::get<SamplePerfectTile>(second[1].step).factors = {16, 2, 2};
  std::get<SampleCategorical>(second[5].step).choice = 0;
  const Decisions a = decisions_of(first), b = decisions_of(second);
  std::set<std::string> mixtures;
  Rng rng(4);
  for (int i = 0; i < 400; ++i) {
    const Decisions child = crossed(first, second, rng);
    std::string mixture;
    for (const auto& [key, decision] : child) {
      const bool is_a = a.contains(key) && a.at(key) == decision;
      const bool is_b = b.contains(key) && b.at(key) == decision;
      EXPECT_TRUE(is_a || is_b) << key;
      mixture += is_a && is_b ? '.' : is_a ? 'a' : 'b';
    }
    EXPECT_EQ(child.contains("pack/conv/order"), child.at("pack/conv/how").numbers[0] == 1);
    mixtures.insert(mixture);
  }
  // The structure, the tile and the parallel loop each from either.
  EXPECT_EQ(mixtures.size(), 8U);
}

}  // namespace
}  // namespace cambium::tune
