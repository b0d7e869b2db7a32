#include "schedule/recipe/moves.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "schedule/recipe/recipe_testing.h"

namespace cambium::schedule {
namespace {

using Counts = std::map<std::string, int>;

std::vector<Move> moves_at(Context& cx, const ConvShape& shape, const Trace& document = {},
                           const MoveLimits& limits = {}) {
  return moves_from(cx, conv_of(cx, shape), "conv", document, limits);
}

Counts counts_of(const std::vector<Move>& moves) {
  Counts counts;
  for (const Move& move : moves) ++counts[move.kind];
  return counts;
}

ConvShape square(std::int64_t channels, std::int64_t size) {
  ConvShape shape;
  shape.ci = shape.co = channels;
  shape.h = shape.w = size;
  return shape;
}

// Groups of 2, 4 and 8; peeled 2 (62 = 2*31), 4 (60: 2 3 4 5 6), 8 (56: 2 4 7 8), 16 (48: 2 3 4 6
// 8). Half and interleaved ones have the same factors as groups; in a half, either part.
TEST(Moves, AreThoseOfAStageOfResnet) {
  Context cx;
  EXPECT_EQ(counts_of(moves_at(cx, square(64, 32))), (Counts{{"channel slabs", 3},
                                                             {"depthwise", 1},
                                                             {"group", 3},
                                                             {"half group", 6},
                                                             {"half interleaved group", 6},
                                                             {"input bottleneck", 3},
                                                             {"interleaved group", 3},
                                                             {"peel group", 15},
                                                             {"separate", 4},
                                                             {"slabs", 3},
                                                             {"spatial bottleneck", 6}}));
}

TEST(Moves, StayWithinTheirLimits) {
  Context cx;
  MoveLimits limits;
  limits.most_factor = 2;
  limits.slabs = limits.space = limits.interleaves = limits.separates = false;
  limits.narrows_outputs = true;
  EXPECT_EQ(counts_of(moves_at(cx, square(64, 32), {}, limits)), (Counts{{"bottleneck", 1},
                                                                         {"depthwise", 1},
                                                                         {"group", 1},
                                                                         {"half group", 2},
                                                                         {"input bottleneck", 1},
                                                                         {"peel group", 4}}));
}

// 48 outputs of DenseNet's 3x3 convolutions read 192 channels.
TEST(Moves, UseOddFactorsWhereTheyDivide) {
  Context cx;
  ConvShape shape = square(48, 7);
  shape.ci = 192;
  MoveLimits limits;
  limits.separates = false;
  const std::vector<Move> moves = moves_at(cx, shape, {}, limits);
  Counts counts = counts_of(moves);
  EXPECT_EQ(counts["group"], 5) << "2 3 4 6 8";
  EXPECT_EQ(counts["input bottleneck"], 5);
  EXPECT_EQ(counts["spatial bottleneck"], 2) << "7 is 7 rows once";
  EXPECT_EQ(counts["depthwise"], 0);
}

TEST(Moves, KeepToTheGroupsOfResnext) {
  Context cx;
  ConvShape shape = square(128, 8);
  shape.groups = 2;
  MoveLimits limits;
  limits.separates = limits.slabs = false;
  Counts counts = counts_of(moves_at(cx, shape, {}, limits));
  EXPECT_EQ(counts["group"], 3);
  EXPECT_EQ(counts["depthwise"], 1) << "64 channels in a group";
  EXPECT_EQ(counts["half group"], 0) << "a part of the channels is no part of each group";
}

TEST(Moves, OfADepthwiseConvolutionAreThoseOfSpace) {
  Context cx;
  ConvShape shape = square(16, 8);
  shape.groups = 16;
  for (const Move& move : moves_at(cx, shape)) {
    const std::set<std::string> wanted{"spatial bottleneck", "slabs", "separate"};
    EXPECT_EQ(wanted.count(move.kind), 1u) << move.label;
  }
}

// There the taps alone count the rows of x, as channels are counted.
TEST(Moves, TakeNoTapsForChannelsWhereOneRowIsLeft) {
  Context cx;
  const Original original = original_of(cx, square(16, 8));
  const Trace document = steps_of("bottleneck(loop: h, factor: 8)", original.sizes).value();
  const std::vector<Move> moves = moves_at(cx, square(16, 8), document);
  EXPECT_GT(counts_of(moves)["input bottleneck"], 0);
  for (const Move& move : moves) {
    if (move.kind != "separate") {
      EXPECT_EQ(move.label.find("kh"), std::string::npos) << move.label;
    }
    if (const auto* group = std::get_if<Group>(&move.steps.back().step)) {
      EXPECT_EQ(group->inner.find("ci"), 0u) << move.label;
    }
  }
}

TEST(Moves, AreAcceptedAndLeadToDifferentFunctions) {
  Context cx;
  const Original original = original_of(cx, square(16, 8));
  std::set<std::string> texts, labels;
  for (const Move& move : moves_at(cx, square(16, 8))) {
    const Result<Document> document = document_of(cx, original, move.steps);
    ASSERT_TRUE(document.ok()) << move.label << ": " << document.rejection().message();
    EXPECT_NE(document->text, "") << move.label;
    EXPECT_TRUE(texts.insert(document->text).second) << document->text;
    EXPECT_TRUE(labels.insert(move.label).second) << move.label;
  }
  EXPECT_GT(texts.size(), 30u);
}

TEST(Moves, GoOnFromADocument) {
  Context cx;
  const Original original = original_of(cx, square(16, 8));
  const Trace halves = steps_of("halves 2 4", original.sizes).value();
  const std::vector<Move> moves = moves_at(cx, square(16, 8), halves);
  EXPECT_FALSE(moves.empty());
  for (const Move& move : moves) {
    Trace whole = halves;
    whole.insert(whole.end(), move.steps.begin(), move.steps.end());
    const Result<Document> document = document_of(cx, original, whole);
    ASSERT_TRUE(document.ok()) << move.label << ": " << document.rejection().message();
    EXPECT_NE(document->text, read_document(cx, original, "halves 2 4")->text) << move.label;
  }
}

TEST(Moves, AlwaysHaveTheSameOrder) {
  Context first, second;
  const std::vector<Move> a = moves_at(first, square(64, 32)), b = moves_at(second, square(64, 32));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].label, b[i].label);
    EXPECT_EQ(to_text(a[i].steps), to_text(b[i].steps));
  }
}

TEST(Moves, RandomWalksAreAmongThem) {
  Context cx;
  const Original original = original_of(cx, square(16, 8));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    Walk walk = Walk::from(cx, original).value();
    for (int step = 0; step < 3; ++step) {
      const std::optional<Move> move = walk.random({}, rng);
      if (!move) break;
      const std::vector<Move> all = walk.moves({});
      const Result<Document> now = document_of(cx, original, walk.document());
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Move& one) {
        return one.label == move->label || one.kind != move->kind;
      })) << move->label;
      ASSERT_TRUE(walk.take(*move).ok()) << move->label;
      const Result<Document> next = document_of(cx, original, walk.document());
      ASSERT_TRUE(next.ok()) << to_text(walk.document()) << next.rejection().message();
      EXPECT_NE(next->identity, now->identity) << move->label;
    }
  }
}

TEST(Moves, ThereAreNoneFromARefusedDocument) {
  Context cx;
  const Original original = original_of(cx, square(16, 8));
  const Trace refused = steps_of("group 3", original.sizes).value();
  EXPECT_TRUE(moves_at(cx, square(16, 8), refused).empty());
}

}  // namespace
}  // namespace cambium::schedule
