#include "schedule/recipe/document.h"

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "schedule/recipe/recipe_testing.h"

namespace cambium::schedule {
namespace {

Document document(Context& cx, const ConvShape& shape, std::string_view written) {
  Result<Document> read = read_document(cx, original_of(cx, shape), written);
  if (read.ok()) return std::move(*read);
  ADD_FAILURE() << written << ": " << read.rejection().message();
  return {{}, {Schedule(cx, {}), {}, {}}, {}, {}, 0, 0};
}

std::string text_of(const ConvShape& shape, std::string_view written) {
  Context cx;
  return document(cx, shape, written).text;
}

Rejection refused(const ConvShape& shape, std::string_view written) {
  Context cx;
  const Result<Document> read = read_document(cx, original_of(cx, shape), written);
  if (!read.ok()) return read.rejection();
  ADD_FAILURE() << written << " was accepted";
  return Rejection(Reason::UnknownStep);
}

struct Pair {
  const char* first;
  const char* second;
};

TEST(Document, OrdersOfTheSameStepsHaveOneText) {
  const Pair pairs[] = {
      {"bottleneck(loop: h, factor: 2)\nbottleneck(loop: w, factor: 2)", "spatial bottleneck 2"},
      {"bottleneck(loop: w, factor: 2)\nbottleneck(loop: h, factor: 2)", "spatial bottleneck 2"},
      {"bottleneck(loop: w, factor: 2)\ngroup(outer: co, inner: ci, factor: 2)",
       "group(outer: co, inner: ci, factor: 2)\nbottleneck(loop: w, factor: 2)"},
      {"group(outer: co, inner: ci, factor: 2)\ngroup(outer: co, inner: ci, factor: 2)", "group 4"},
      {"bottleneck(loop: ci, factor: 2)\nbottleneck(loop: ci, factor: 2)", "input bottleneck 4"},
      {"partition(loop: co, points: [4])\ngroup(outer: co.2, inner: ci.2, factor: 4)\n"
       "reorder(loops: [w, ci])\ngroup(outer: co, inner: ci, factor: 2)",
       "halves 2 4"},
      {"partition(loop: co, points: [2, 4])\ngroup(outer: co.3, inner: ci.3, factor: 2)",
       "halves 1 2"},
      {"bottleneck(loop: h, factor: 2)\nbottleneck(loop: h, factor: 2)",
       "bottleneck(loop: h, factor: 4)"},
      {"bottleneck(loop: ci, factor: 2)\npartition(loop: h, points: [4])", "input bottleneck 2"},
      {"split(loop: co, factors: [0, 2], tail: exact)\nreorder(loops: [co.1, ci, co.0])\n"
       "fuse(loops: [kh, kw])\nbottleneck(loop: ci, factor: 2)",
       "input bottleneck 2"},
  };
  for (const Pair& pair : pairs) {
    EXPECT_EQ(text_of({}, pair.first), text_of({}, pair.second)) << pair.first;
    EXPECT_NE(text_of({}, pair.second), "") << pair.second;
  }
}

TEST(Document, LoopsAloneAreTheOriginal) {
  for (const char* text :
       {"", "reorder(loops: [ci, co])", "split(loop: h, factors: [2, 0], tail: exact)",
        "unroll(loop: kh)", "fuse(loops: [h, w])", "partition(loop: co, points: [3])",
        "partition(loop: h, points: [4])", "partition(loop: w, points: [1, 2])",
        "split(loop: h, factors: [2, 0], tail: exact)\npartition(loop: h.1, points: [1])",
        "partition(loop: co, points: [Co/2])\nreorder(loops: [w, ci])\nunroll(loop: co.2)"}) {
    Context cx;
    const Document read = document(cx, {}, text);
    EXPECT_EQ(read.text, "") << text;
    EXPECT_TRUE(read.is_original());
    EXPECT_EQ(read.half.blocks.size(), 1u) << text;
    EXPECT_EQ(read.macs, 8 * 8 * 9 * 64);
    EXPECT_EQ(read.weights, 8 * 8 * 9);
  }
}

// They keep the steps of the first, since no form has them, but count as one.
TEST(Document, PartsThatNoStepToldApartAreOnePiece) {
  const Pair pairs[] = {
      {"partition(loop: h, points: [2, 4])\nbottleneck(loop: ci.3, factor: 2)",
       "partition(loop: h, points: [4])\nbottleneck(loop: ci.2, factor: 2)"},
      {"partition(loop: h, points: [1, 4])\npartition(loop: w.2, points: [3])\n"
       "bottleneck(loop: ci.3, factor: 2)",
       "partition(loop: h, points: [4])\nbottleneck(loop: ci.2, factor: 2)"},
      {"partition(loop: co, points: [2, 4])\nbottleneck(loop: ci.3, factor: 2)",
       "partition(loop: co, points: [4])\nbottleneck(loop: ci.2, factor: 2)"},
  };
  for (const Pair& pair : pairs) {
    Context cx;
    const Document first = document(cx, {}, pair.first), second = document(cx, {}, pair.second);
    EXPECT_EQ(first.identity, second.identity) << pair.first;
    EXPECT_EQ(first.function.pieces.size(), 2u) << pair.first;
  }
}

TEST(Document, FunctionsOfTheSameMacsStayApart) {
  std::set<std::string> texts;
  std::set<std::string> identities;
  const char* const kHalves[] = {
      "group 2",
      "interleaved group 2",
      "input bottleneck 2",
      "bottleneck(loop: h, factor: 2)",
      "bottleneck(loop: w, factor: 2)",
      "channel slabs 2",
      "split(loop: ci, factors: [0, 2], tail: exact)\nbottleneck(loop: ci.1, factor: 2)",
      "bottleneck 2",
      // Outputs take turns: channel co reads group co % 2.
      "split(loop: co, factors: [0, 2], tail: exact)\ngroup(outer: co.1, inner: ci, factor: 2)",
  };
  for (const char* text : kHalves) {
    Context cx;
    const Document read = document(cx, {}, text);
    EXPECT_EQ(read.macs * 2, 8 * 8 * 9 * 64) << text;
    EXPECT_TRUE(texts.insert(read.text).second) << read.text;
    EXPECT_TRUE(identities.insert(read.identity.text()).second) << text;
  }
  EXPECT_NE(text_of({}, "group(outer: co, inner: ci, factor: 2)\nbottleneck(loop: ci, factor: 2)"),
            text_of({}, "bottleneck(loop: ci, factor: 2)\ngroup(outer: co, inner: ci, factor: 2)"));
}

// Two documents that differ only in which multiply-adds share an element of the weights.
struct Sharing {
  const char* what;
  ConvShape shape;
  const char* first;
  const char* second;
};

TEST(Document, TellsApartWhichWeightsAreShared) {
  const ConvShape pointwise{.h = 16, .w = 16, .kh = 1, .kw = 1}, plain{};
  ConvShape samples = pointwise;
  samples.n = 2;
  const Sharing cases[] = {
      {"rows modulo 4 against rows by 4", pointwise,
       "split(loop: h, factors: [0, 4], tail: exact)\ngroup_slabs(rows: h.1)", "slabs 4"},
      {"rows against columns", pointwise, "group_slabs(rows: h)", "group_slabs(rows: w)"},
      {"channels of rows modulo 4 against rows by 4", ConvShape{.h = 16},
       "split(loop: h, factors: [0, 4], tail: exact)\ngroup_channels(rows: h.1, outer: co)",
       "channel slabs 4"},
      {"outer slabs first against inner slabs first", ConvShape{.h = 16},
       "split(loop: h, factors: [2, 2, 0], tail: exact)\ngroup_channels(rows: h.0, outer: co)\n"
       "group_channels(rows: h.1, outer: co)",
       "split(loop: h, factors: [2, 2, 0], tail: exact)\ngroup_channels(rows: h.1, outer: co)\n"
       "group_channels(rows: h.0, outer: co)"},
      {"one weight against two", plain,
       "bottleneck(loop: ci, factor: 2)\npartition(loop: h, points: [4])",
       "partition(loop: h, points: [4])\nbottleneck(loop: ci, factor: 2)\n"
       "bottleneck(loop: ci.2, factor: 2)"},
      {"first and last rows share against all apart", plain,
       "bottleneck(loop: ci, factor: 2)\npartition(loop: h, points: [2, 4])\n"
       "bottleneck(loop: ci.2, factor: 2)",
       "partition(loop: h, points: [2, 4])\nbottleneck(loop: ci, factor: 2)\n"
       "bottleneck(loop: ci.2, factor: 4)\nbottleneck(loop: ci.3, factor: 2)"},
      {"weights of a sample against the original", samples, "group_slabs(rows: n)", ""},
      {"the first sample for all against the original", samples, "bottleneck(loop: n, factor: 2)",
       ""},
      {"fewer samples against the original", samples,
       "group_slabs(rows: n)\nbottleneck(loop: n, factor: 2, accept: true)", ""},
      {"the first sample against the second", samples,
       "partition(loop: n, points: [1])\nbottleneck(loop: ci, factor: 2)",
       "partition(loop: n, points: [1])\nbottleneck(loop: ci.2, factor: 2)"},
  };
  for (const Sharing& c : cases) {
    Context cx;
    const Document first = document(cx, c.shape, c.first), second = document(cx, c.shape, c.second);
    EXPECT_NE(first.identity, second.identity) << c.what;
    EXPECT_NE(first.text, second.text) << c.what;
  }
}

TEST(Document, KeepsStepsWhoseWeightsNoFormHas) {
  const ConvShape pointwise{.h = 16, .w = 16, .kh = 1, .kw = 1};
  const std::string modulo =
      "split(loop: h, factors: [0, 4], tail: exact)\ngroup_slabs(rows: h.1)\n";
  EXPECT_EQ(text_of(pointwise, modulo), modulo);
  EXPECT_EQ(text_of(pointwise,
                    "split(loop: h, factors: [0, 4], tail: exact)\nreorder(loops: [w, ci])\n"
                    "group_slabs(rows: h.1)"),
            modulo);
  EXPECT_EQ(text_of(pointwise, "slabs 4"),
            "split(loop: h, factors: [4, 0], tail: exact)\ngroup_slabs(rows: h.0)\n");
}

TEST(Document, FitsLayersOfEveryWidth) {
  ConvShape wide;
  wide.ci = wide.co = 64;
  for (const char* name : {"halves 2 4", "group 2", "quarters 1 2 1 2", "spatial bottleneck 2"}) {
    EXPECT_EQ(text_of({}, name), text_of(wide, name)) << name;
  }
}

TEST(Document, ReplaysItsTextToTheSameProgram) {
  for (const char* name : {"halves 2 4", "peel 2 3", "slabs 2", "channel slabs 4",
                           "interleaved group 2", "spatial bottleneck 2"}) {
    Context cx;
    const Original original = original_of(cx, ConvShape{});
    const Document read = document(cx, {}, name);
    const Result<NeuralHalf> half = replay_document(
        cx, original.program, "conv", parse_document(read.text, original.sizes.named).value());
    ASSERT_TRUE(half.ok()) << half.rejection().message();
    EXPECT_EQ(to_text(half->schedule.trace()), to_text(read.half.schedule.trace())) << name;
    EXPECT_EQ(half->blocks, read.half.blocks);
  }
}

TEST(Document, SlicesWithinTheGroupsOfTheOriginal) {
  ConvShape grouped;
  grouped.groups = 2;
  Context cx;
  const Document read = document(cx, grouped, "group 2");
  EXPECT_EQ(read.text, "group(outer: co, inner: ci, factor: 2)\n");
  EXPECT_EQ(read.macs, 8 * 2 * 9 * 64);
  EXPECT_EQ(read.identity, document(cx, ConvShape{}, "group 4").identity)
      << "the function of four groups of the dense convolution";
  EXPECT_EQ(text_of(grouped, "group 4"), text_of(grouped, "depthwise"));
  EXPECT_EQ(refused(grouped, "group 8").reason(), Reason::NotDivisible);
}

TEST(Document, CutsOnlySpaceOfADepthwiseConvolution) {
  ConvShape apart;
  apart.groups = 8;
  EXPECT_NE(text_of(apart, "spatial bottleneck 2"), "");
  EXPECT_EQ(refused(apart, "group 2").reason(), Reason::UnknownName);
  EXPECT_EQ(refused(apart, "input bottleneck 2").reason(), Reason::UnknownName);
}

// As a file from elsewhere may have them.
TEST(Document, RefusesSizesThatNobodyCounts) {
  ConvShape channels, places;
  channels.ci = std::int64_t{1} << 30;
  places.ci = places.co = std::int64_t{1} << 20;
  places.h = places.w = std::int64_t{1} << 16;
  for (const ConvShape& shape : {channels, places}) {
    Context cx;
    const Result<Original> refused = original_of(cx, conv_of(cx, shape), "conv");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.rejection().reason(), Reason::SizeOutOfRange);
  }
}

TEST(Document, NamesTheStepTheLoopAndTheNumbers) {
  const Rejection uneven = refused({}, "halves 2 3");
  EXPECT_EQ(uneven.reason(), Reason::NotDivisible);
  EXPECT_EQ(uneven.message().find("step 3, group(outer: co.2, inner: ci.2, factor: 3"), 0u)
      << uneven.message();
  EXPECT_EQ(refused({}, "bottleneck(loop: d, factor: 2)").reason(), Reason::UnknownName);
  EXPECT_EQ(refused({}, "vectorize(loop: w)").reason(), Reason::UnknownStep);
  EXPECT_EQ(refused({}, "split(loop: w, factors: [0, 3], tail: guard)").reason(),
            Reason::UnknownStep);
  EXPECT_EQ(refused({}, "partition(loop: co, points: [Co/3])").reason(), Reason::NotDivisible);
  ConvShape odd;
  odd.h = odd.w = 7;
  EXPECT_EQ(refused(odd, "slabs 2").reason(), Reason::NotDivisible);
  EXPECT_EQ(refused(odd, "spatial bottleneck 2").reason(), Reason::NotDivisible);
  EXPECT_EQ(refused({}, "split(loop: h, factors: [2, 0], tail: exact) -> a, b").reason(),
            Reason::TraceDiffers);
  EXPECT_EQ(refused({}, "normalise").reason(), Reason::BadSyntax);
  // A part that would be missing from the function, because it has no normal form.
  const Rejection mixed = refused({}, "partition(loop: h, points: [2])\nfuse(loops: [ci.2, h.2])");
  EXPECT_EQ(mixed.reason(), Reason::NotAContraction) << mixed.message();
  const Rejection fused = refused({}, "fuse(loops: [ci, kh])\nbottleneck(loop: ci.kh, factor: 2)");
  EXPECT_EQ(fused.reason(), Reason::NotAContraction) << fused.message();
}

}  // namespace
}  // namespace cambium::schedule
