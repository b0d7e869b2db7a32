#include "spaces/coordinate/lowering/digits.h"

#include <array>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/coordinate/documents_testing.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/lowering/entangled.h"
#include "spaces/coordinate/lowering/tiny_operator_testing.h"
#include "spaces/coordinate/lowering/wide_spaces_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;

CoordinateIndex half_of(const Operator& op, CoordinateIndex whole, CoordinateKind half) {
  for (std::size_t c = 0; c < op.coordinates.size(); ++c) {
    const Coordinate& it = op.coordinates[c];
    if (it.first == whole && it.kind == half) return static_cast<CoordinateIndex>(c);
  }
  return kNoCoordinate;
}

// Outputs and reductions, or both halves of those that a MERGE halves.
Loops loops_of(const Operator& op, bool in_halves) {
  Loops loops;
  loops.is_loop.assign(op.coordinates.size(), false);
  loops.halves.assign(op.coordinates.size(), {kNoCoordinate, kNoCoordinate});
  for (std::size_t c = 0; c < op.coordinates.size(); ++c) {
    const CoordinateKind kind = op.coordinates[c].kind;
    if (kind != CoordinateKind::Output && kind != CoordinateKind::Reduce) continue;
    const auto leaf = static_cast<CoordinateIndex>(c);
    const CoordinateIndex high = half_of(op, leaf, CoordinateKind::MergeHigh);
    const CoordinateIndex low = half_of(op, leaf, CoordinateKind::MergeLow);
    if (in_halves && high != kNoCoordinate && low != kNoCoordinate) {
      loops.halves[c] = {high, low};
      loops.is_loop[place_of(high)] = loops.is_loop[place_of(low)] = true;
    } else {
      loops.is_loop[c] = true;
    }
  }
  return loops;
}

std::vector<CoordinateIndex> loops_below(const Operator& op, const Loops& loops,
                                         const std::vector<CoordinateIndex>& coordinates) {
  std::set<CoordinateIndex> below;
  std::vector<CoordinateIndex> open = coordinates;
  while (!open.empty()) {
    const CoordinateIndex c = open.back();
    open.pop_back();
    if (c == kNoCoordinate) continue;
    if (loops.has(c)) {
      below.insert(c);
      continue;
    }
    const Coordinate& it = op.coordinates[place_of(c)];
    const auto [first, second] =
        loops.cuts(c) ? loops.halves[place_of(c)] : std::array{it.first, it.second};
    open.insert(open.end(), {first, second});
  }
  return {below.begin(), below.end()};
}

struct Seen {
  int tables = 0, known = 0;
};

void expect_tables(const Operator& op, const expr::Binding& binding, Seen& seen) {
  const auto extents = extents_of(op, binding);
  if (!extents.ok()) return;
  for (const bool in_halves : {false, true}) {
    const Loops loops = loops_of(op, in_halves);
    for (const std::vector<CoordinateIndex>& weight : op.weights) {
      const std::vector<CoordinateIndex> over = loops_below(op, loops, weight);
      const auto steps = steps_at(weight, over, *extents, loops);
      ++seen.tables;
      if (!steps) continue;
      ++seen.known;
      EXPECT_EQ(model::elements_of(*steps), places_at(weight, over, *extents, loops));
    }
  }
}

TEST(Digits, OfTinyOperatorsAreTheirTables) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    expect_tables(TinyOperator(seed).make(), {}, seen);
  }
  EXPECT_GT(4 * seen.known, seen.tables);
  EXPECT_LT(seen.known, seen.tables);
}

TEST(Digits, OfOperatorsFromWideSpacesAreTheirTables) {
  Seen seen;
  for (const WideSpace& wide : wide_spaces()) {
    sample_wide(wide, 3, 60, 4000, [&](const Problem& problem, const Operator& op) {
      expect_tables(op, problem.bindings[0], seen);
    });
  }
  EXPECT_GT(4 * seen.known, seen.tables);
}

// Two samples of a search on ResNet-18: each body would hold a table of a million places.
TEST(Digits, LargeTablesAreNotComputed) {
  const Problem problem = make_problem(
      "[N, Ci, H, W]", "[N, Co, H, W]",
      {"N=1, Ci=512, Co=512, H=7, W=7, k=3, s=2", "N=1, Ci=256, Co=512, H=7, W=7, k=3, s=2"});
  for (const char* rest : {"x n, high(split(co, r1), s^2*Co), unfold(h, r2), shift(unfold(w, r3))\n"
                           "w1 co, r3\nw2 co, low(split(co, r1), s^2*Co)\n",
                           "x n, high(split(shift(co), r1), s^2*Co), unfold(h, r2), unfold(w, r3)\n"
                           "w1 r3, shift(co)\nw2 shift(co), low(split(shift(co), r1), s^2*Co)\n"}) {
    const Operator op =
        parse(problem, std::string("operator [N, Ci, H, W] -> [N, Co, H, W]\nout n, co, h, w\n"
                                   "sum r1: s^2*Ci, r2: k, r3: k\n") +
                           rest)
            .value();
    for (const expr::Binding& binding : problem.bindings) {
      const model::Model body = decompose(op, binding).value();
      int large = 0;
      for (const model::NodePtr& node : body.nodes()) {
        const auto* weight = node->as<model::Weight>();
        if (weight == nullptr || weight->value.elements() < 1 << 16) continue;
        EXPECT_NE(weight->value.steps(), nullptr) << rest;
        ++large;
      }
      EXPECT_EQ(large, 1) << rest;
    }
  }
}

TEST(Digits, WhatIsNotMadeOfDigitsHasNoSteps) {
  const Problem problem = make_problem("[N, C, L]", "[N, C, L]", {"N=1, C=10, L=3, k=3"});
  for (const char* rest :
       {"x n, shift(c), l\nw1 c, shift(c)\n",                            // wraps around
        "x n, c, unfold(l, r)\nw1 l, unfold(l, r)\n",                    // may be outside
        "x n, high(split(r, c), k), l\nw1 low(split(r, c), k), r\n"}) {  // 3 is no part of 10
    const std::string sums = std::string(rest).find('r') == std::string::npos ? "" : "sum r: k\n";
    const auto op = parse(problem, "operator [N, C, L] -> [N, C, L]\nout n, c, l\n" + sums + rest);
    ASSERT_TRUE(op.ok()) << op.rejection().message();
    const Extents extents = extents_of(*op, problem.bindings[0]).value();
    const Loops loops = loops_of(*op, false);
    const std::vector<CoordinateIndex> over = loops_below(*op, loops, op->weights[0]);
    EXPECT_FALSE(steps_at(op->weights[0], over, extents, loops).has_value()) << rest;
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate
