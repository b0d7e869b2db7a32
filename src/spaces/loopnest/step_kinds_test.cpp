#include "spaces/loopnest/step_kinds.h"

#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "schedule/recipe/catalogue.h"
#include "schedule/recipe/moves.h"
#include "spaces/loopnest/nest.h"

namespace cambium::spaces::loopnest {
namespace {

using Kinds = std::vector<std::string>;

TEST(StepKinds, AreTheWordsOfTheCatalogue) {
  EXPECT_EQ(step_kinds("group(outer: co, inner: ci, factor: 4)\n"), Kinds{"group"});
  EXPECT_EQ(step_kinds("depthwise(outer: co, inner: ci)\n"), Kinds{"depthwise"});
  EXPECT_EQ(step_kinds("split(loop: ci, factors: [0, 4], tail: exact)\n"
                       "group(outer: co, inner: ci.1, factor: 4)\n"),
            Kinds{"interleaved group"});
  EXPECT_EQ(step_kinds("split(loop: h, factors: [2, 0], tail: exact)\ngroup_slabs(rows: h.0)\n"),
            Kinds{"slabs"});
  EXPECT_EQ(step_kinds("split(loop: h, factors: [2, 0], tail: exact)\n"
                       "group_channels(rows: h.0, outer: co)\n"),
            Kinds{"channel slabs"});
  EXPECT_EQ(step_kinds("separate(first: [kh, kw])\n"), Kinds{"separate"});
}

// What a bottleneck leaves out is another kind of loss each time.
TEST(StepKinds, TellBottlenecksApartByTheirLoop) {
  EXPECT_EQ(step_kinds("bottleneck(loop: co, factor: 2, accept: true)\n"), Kinds{"bottleneck"});
  EXPECT_EQ(step_kinds("bottleneck(loop: ci, factor: 2)\n"), Kinds{"input bottleneck"});
  EXPECT_EQ(step_kinds("bottleneck(loop: h, factor: 2)\nbottleneck(loop: w, factor: 2)\n"),
            Kinds{"spatial bottleneck"});
  EXPECT_EQ(step_kinds("bottleneck(loop: kh, factor: 3)\n"), Kinds{"tap bottleneck"});
  EXPECT_EQ(step_kinds("split(loop: ci, factors: [0, 2], tail: exact)\n"
                       "bottleneck(loop: ci.1, factor: 2)\n"),
            Kinds{"input bottleneck"});
}

TEST(StepKinds, SayWhichPartOfTheOutputsAStepIsOf) {
  EXPECT_EQ(step_kinds("partition(loop: co, points: [Co/2])\n"
                       "group(outer: co, inner: ci, factor: 2)\n"
                       "group(outer: co.2, inner: ci.2, factor: 4)\n"),
            Kinds{"half group"});
  EXPECT_EQ(step_kinds("partition(loop: co, points: [16])\n"
                       "group(outer: co.2, inner: ci.2, factor: 2, skip: 16)\n"),
            Kinds{"peel group"});
  EXPECT_EQ(step_kinds("partition(loop: co, points: [Co/2])\n"
                       "split(loop: ci.2, factors: [0, 4], tail: exact)\n"
                       "group(outer: co.2, inner: ci.2.1, factor: 4)\n"),
            Kinds{"half interleaved group"});
}

TEST(StepKinds, AreKnownOfEveryNameOfTheCatalogue) {
  for (const schedule::CatalogueRow& row : schedule::catalogue()) {
    std::string name = row.name;
    const std::string_view numbers = row.numbers;
    if (!numbers.empty()) {
      for ([[maybe_unused]] const std::string_view each : split(numbers, ' ')) name += " 2";
    }
    EXPECT_EQ(step_kinds(name).size(), 1u) << name;
  }
  EXPECT_EQ(step_kinds("interleaved group 4"), Kinds{"interleaved group"});
  EXPECT_EQ(step_kinds("peel 16 2"), Kinds{"peel group"});
  EXPECT_EQ(step_kinds("quarters 2 2 4 4"), Kinds{"half group"});
}

// The other place that has these words: schedule/recipe/move_candidates.cpp.
TEST(StepKinds, AreTheWordsThatMovesGoBy) {
  model::Conv conv;
  conv.strides = conv.dilations = {1, 1};
  conv.pads = {1, 1, 1, 1};
  program::Context cx;
  const auto nest = nest_of(cx, conv, {64, 64, 3, 3}, {1, 64, 32, 32});
  ASSERT_TRUE(nest.ok()) << nest.rejection().message();
  schedule::MoveLimits limits;
  limits.narrows_outputs = true;
  std::set<std::string> met;
  for (const schedule::Move& move :
       schedule::moves_from(cx, nest->program, nest->block, {}, limits)) {
    EXPECT_EQ(step_kinds(schedule::to_text(move.steps)), Kinds{move.kind}) << move.label;
    met.insert(move.kind);
  }
  EXPECT_EQ(met.size(), 12u) << "all kinds but a depthwise half and taps";
}

// Fields may stand in any order, and blanks anywhere.
TEST(StepKinds, AreReadAsStepsAreRead) {
  EXPECT_EQ(step_kinds("bottleneck( factor:2 , loop: ci )"), Kinds{"input bottleneck"});
  EXPECT_EQ(step_kinds("group(outer: co, inner: ci, factor: 2"), Kinds{}) << "cannot be read";
}

TEST(StepKinds, AreSeveralOfASequence) {
  EXPECT_EQ(step_kinds("bottleneck(loop: h, factor: 2)\n"
                       "bottleneck(loop: co, factor: 2, accept: true)\n"
                       "group(outer: co, inner: ci, factor: 2)\n"
                       "bottleneck(loop: ci, factor: 2)\n"),
            (Kinds{"spatial bottleneck", "bottleneck", "group", "input bottleneck"}));
}

TEST(StepKinds, AreNoneWhereNothingIsLeftOut) {
  EXPECT_EQ(step_kinds(""), Kinds{});
  EXPECT_EQ(step_kinds("split(loop: ci, factors: [0, 4], tail: exact)\n"
                       "reorder(loops: [co, ci.0])\nunroll(loop: co)\n"),
            Kinds{});
  EXPECT_EQ(step_kinds("group"), Kinds{}) << "neither a name nor a step";
}

}  // namespace
}  // namespace cambium::spaces::loopnest
