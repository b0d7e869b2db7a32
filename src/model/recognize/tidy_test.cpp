#include "model/recognize/tidy.h"

#include <tuple>

#include "model/recognize/soup_testing.h"

namespace cambium::model {
namespace {

using Kinds = std::map<std::string, int>;

TEST(Tidy, SlicesThatShareAnAxisOutAreASplit) {
  Soup s;
  const Value x = s.input({2, 9, 4});
  const Value last = s.slice(x, 1, 7, 2), first = s.slice(x, 1, 0, 3), middle = s.slice(x, 1, 3, 4);
  const Model model = s.done(s.concat(1, {middle, last, first}));
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"split", 1}, {"concat", 1}})) << to_text(out.model);
  EXPECT_EQ(out.moved.at(first).slot, 0u);
  EXPECT_EQ(out.moved.at(last).slot, 2u);
}

TEST(Tidy, SlicesOfTheSameReshapeAreThoseOfOneValue) {
  Soup s;
  const Value x = s.input({1, 9, 4});
  const Value first = s.slice(s.reshape(x, {9, 4}), 0, 0, 3);
  const Model model = s.done(s.concat(0, {s.slice(s.reshape(x, {9, 4}), 0, 3, 6), first}));
  EXPECT_EQ(kinds(expect_same(model).model), (Kinds{{"split", 1}, {"concat", 1}}));
}

TEST(Tidy, SlicesThatDoNotAreNone) {
  // A gap, an overlap, and a step.
  for (const auto& [start, extent, step] :
       {std::tuple{5, 4, 1}, std::tuple{3, 6, 1}, std::tuple{4, 3, 2}}) {
    Soup s;
    const Value x = s.input({2, 9, 4});
    const Model model =
        s.done(s.concat(1, {s.slice(x, 1, 0, 4), s.slice(x, 1, start, extent, step)}));
    EXPECT_EQ(kinds(expect_same(model).model), (Kinds{{"slice", 2}, {"concat", 1}}));
  }
}

TEST(Tidy, PadsAndSlicesInARowAreOnePad) {
  Soup s;
  const Value x = s.pad(s.pad(s.input({2, 3, 6, 6}), 2, 1, 1), 3, 2, 1);
  const Model model = s.done(s.slice(s.slice(x, 2, 0, 6), 3, 3, 6));
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"pad", 1}})) << to_text(out.model);
  const Node& pad = out.model.node(out.model.outputs()[0].value.node);
  EXPECT_EQ(pad.as<Pad>()->pads, (Ints{0, 0, 1, -1, 0, 0, -1, 1}));
}

TEST(Tidy, SlicesInARowAreOneSlice) {
  Soup s;
  const Value padded = s.pad(s.input({2, 8}), 1, 2, 2);
  const Model model = s.done(s.slice(s.slice(padded, 1, 2, 8), 1, 1, 4));
  EXPECT_EQ(kinds(expect_same(model).model), (Kinds{{"slice", 1}}));
}

TEST(Tidy, WhatIsCutOffIsNotPaddedBack) {
  Soup s;
  const Model model = s.done(s.pad(s.slice(s.input({2, 8}), 1, 2, 6), 1, 1, 0));
  EXPECT_EQ(kinds(expect_same(model).model), (Kinds{{"slice", 1}, {"pad", 1}}));
  // Only the border is left; and two borders of different values.
  Soup border;
  const Model none = border.done(border.slice(border.pad(border.input({2, 3}), 1, 5, 0), 1, 0, 4));
  EXPECT_EQ(kinds(expect_same(none).model), (Kinds{{"slice", 1}, {"pad", 1}}));
  Soup two;
  const Model both = two.done(two.pad(two.pad(two.input({2, 3}), 1, 1, 1, 7), 1, 1, 1));
  EXPECT_EQ(kinds(expect_same(both).model), (Kinds{{"pad", 2}}));
}

TEST(Tidy, LeavesWhatSeveralRead) {
  Soup s;
  const Value padded = s.pad(s.input({2, 8}), 1, 1, 1);
  const Model model = s.done(s.concat(0, {s.slice(padded, 1, 0, 8), s.slice(padded, 1, 2, 8)}));
  EXPECT_EQ(kinds(expect_same(model).model), (Kinds{{"pad", 1}, {"slice", 2}, {"concat", 1}}));
}

}  // namespace
}  // namespace cambium::model
