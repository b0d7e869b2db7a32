// Weights that start from the original filter: a rewritten nest computes what the dense convolution
// does, with zeros in the filter where no element starts from it.
#include "schedule/recipe/weights.h"

#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"
#include "schedule/recipe/moves.h"
#include "schedule/recipe/recipe_testing.h"

namespace cambium::schedule {
namespace {

using Dim = std::int64_t;

Values random_values(std::size_t count, Rng& rng) {
  Values values(count);
  for (double& value : values) value = static_cast<double>(rng.between(-3, 3));
  return values;
}

// A convolution with random whole numbers in x and in its filter.
struct Dense {
  Dense(const ConvShape& conv, std::uint64_t seed) : shape(conv), original(original_of(cx, conv)) {
    Rng rng(seed);
    x = random_values(static_cast<std::size_t>(conv.ci * conv.h * conv.w), rng);
    dims = {conv.co, conv.ci / conv.groups, conv.kh, conv.kw};
    filter = random_values(static_cast<std::size_t>(dims[0] * dims[1] * dims[2] * dims[3]), rng);
  }

  std::vector<WeightMap> maps(const Document& document) {
    Result<std::vector<WeightMap>> made = weight_maps_of(cx, document.half, dims);
    if (made.ok()) return std::move(*made);
    ADD_FAILURE() << document.text << made.rejection().message();
    return {};
  }

  // What the dense convolution makes of a slab of rows of x, and zeros around it.
  Values dense(const Values& with, Dim slab, Dim slabs) {
    Values rows = x;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Dim row = static_cast<Dim>(i) / shape.w % shape.h;
      if (row / (shape.h / slabs) != slab) rows[i] = 0;
    }
    return run_of(cx, original.program, {rows, with});
  }

  // Runs the nest with weights from the filter, and compares.
  void expect_agrees(const Document& document) {
    SCOPED_TRACE(document.text);
    Values left(filter.size(), 0);
    std::vector<Values> arguments{x};
    for (const WeightMap& map : maps(document)) {
      Dim elements = 1;
      for (const Dim dim : map.dims) elements *= dim;
      ASSERT_EQ(map.elements.size(), static_cast<std::size_t>(elements)) << map.weight;
      Values& weights = arguments.emplace_back();
      for (const Dim origin : map.elements) {
        ASSERT_GE(origin, 0) << map.weight;
        const auto at = static_cast<std::size_t>(origin);
        ASSERT_LT(at, filter.size()) << map.weight;
        left[at] = filter[at];
        weights.push_back(filter[at]);
      }
    }
    const Values y = run_of(cx, document.half.schedule.program(), arguments);
    const Function& function = document.function;
    const Piece& piece = function.pieces.front();
    const Dim slabs = piece.weight_slabs, slices = piece.channel_slabs;
    std::vector<Values> wanted;
    for (Dim slab = 0; slab < slabs; ++slab) wanted.push_back(dense(left, slab, slabs));
    const Dim oh = shape.out_h(), ow = shape.out_w();
    const Dim outs = shape.co / shape.groups, kept = function.outs / shape.groups;
    Values expected;
    for (Dim c = 0; c < function.outs; ++c) {
      for (Dim h = 0; h < oh; ++h) {
        for (Dim w = 0; w < ow; ++w) {
          const Dim from = c / kept * outs + c % kept;
          const Dim row = h - h % function.coarse[0], column = w - w % function.coarse[1];
          const bool is_computed = slices == 1 || c / (function.outs / slices) == h / (oh / slices);
          const Values& whole = wanted[static_cast<std::size_t>(h / (oh / slabs))];
          const auto at = static_cast<std::size_t>((from * oh + row) * ow + column);
          expected.push_back(is_computed ? whole[at] : 0);
        }
      }
    }
    EXPECT_EQ(y, expected);
  }

  void expect_agrees(const std::string& written) {
    const Result<Document> document = read_document(cx, original, written);
    ASSERT_TRUE(document.ok()) << written << ": " << document.rejection().message();
    expect_agrees(*document);
  }

  Context cx;
  ConvShape shape;
  Original original;
  Ints dims;
  Values x, filter;
};

const char* const kNames[] = {"",
                              "group 2",
                              "group 4",
                              "interleaved group 4",
                              "depthwise",
                              "bottleneck 2",
                              "input bottleneck 4",
                              "spatial bottleneck 2",
                              "slabs 2",
                              "channel slabs 2",
                              "peel 2 2",
                              "peel 4 1",
                              "halves 2 4",
                              "halves 1 2",
                              "quarters 1 2 4 2",
                              "eighths 1 1 2 2 1 2 1 2"};

TEST(Weights, OfTheCatalogueStartFromTheFilter) {
  ConvShape shape;
  shape.ci = shape.co = 16;
  shape.h = shape.w = 4;
  for (const char* name : kNames) Dense(shape, 3).expect_agrees(name);
  shape.stride = 2;
  for (const char* name : {"group 4", "halves 2 4", "input bottleneck 2", "spatial bottleneck 2"}) {
    Dense(shape, 4).expect_agrees(name);
  }
  shape.kh = shape.kw = 1;
  for (const char* name : {"group 4", "peel 4 2", "interleaved group 2"}) {
    Dense(shape, 5).expect_agrees(name);
  }
}

TEST(Weights, OfAGroupedConvolutionStartFromItsGroups) {
  ConvShape shape;
  shape.groups = 2;
  shape.ci = shape.co = 16;
  shape.h = shape.w = 4;
  for (const char* name :
       {"", "group 2", "group 4", "depthwise", "interleaved group 2", "input bottleneck 2",
        "spatial bottleneck 2", "bottleneck 2", "slabs 2"}) {
    Dense(shape, 6).expect_agrees(name);
  }
}

TEST(Weights, OfTapsAreThoseThatStay) {
  ConvShape shape;
  shape.kh = 4;
  shape.kw = 1;
  Dense dense(shape, 7);
  const Result<Document> document = read_document(
      dense.cx, dense.original,
      "split(loop: kh, factors: [0, 2], tail: exact)\nbottleneck(loop: kh.1, factor: 2)");
  ASSERT_TRUE(document.ok()) << document.rejection().message();
  const std::vector<WeightMap> maps = dense.maps(*document);
  ASSERT_EQ(maps.size(), 1u);
  ASSERT_EQ(maps[0].elements.size(), 8u * 8 * 2);
  EXPECT_EQ(maps[0].elements[0], 0);
  EXPECT_EQ(maps[0].elements[1], 2) << "every second tap";
  dense.expect_agrees(*document);
}

// Walks of one to four moves over shapes with and without groups.
TEST(Weights, OfRandomWalksStartFromTheFilter) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    ConvShape shape;
    shape.ci = rng.below(2) == 0 ? 8 : 12;
    shape.co = rng.below(2) == 0 ? 8 : 24;
    shape.h = shape.w = 4;
    shape.kh = shape.kw = rng.below(2) == 0 ? 1 : 3;
    shape.groups = rng.below(3) == 0 ? 2 : 1;
    shape.stride = shape.kh == 3 && rng.below(3) == 0 ? 2 : 1;
    Dense dense(shape, seed);
    MoveLimits limits;
    limits.narrows_outputs = rng.below(2) == 0;
    limits.separates = false;
    Walk walk = Walk::from(dense.cx, dense.original).value();
    for (std::uint64_t steps = 1 + rng.below(4); steps > 0; --steps) {
      const std::optional<Move> move = walk.random(limits, rng);
      // Which slab computes which channels depends on the groups; the catalogue has those of all.
      if (!move || move->kind == "channel slabs") break;
      ASSERT_TRUE(walk.take(*move).ok()) << move->label;
    }
    const Result<Document> document = document_of(dense.cx, dense.original, walk.document());
    ASSERT_TRUE(document.ok()) << to_text(walk.document()) << document.rejection().message();
    dense.expect_agrees(*document);
    compared += document->is_original() ? 0 : 1;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, 40);
}

TEST(Weights, RefuseAFilterOfAnotherConvolution) {
  ConvShape shape;
  Dense dense(shape, 8);
  const Result<Document> document = read_document(dense.cx, dense.original, "group 2");
  ASSERT_TRUE(document.ok());
  const auto refused = weight_maps_of(dense.cx, document->half, Ints{8, 3, 3, 3});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::NotAContraction);
}

}  // namespace
}  // namespace cambium::schedule
