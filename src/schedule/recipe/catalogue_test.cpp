// The documents of the catalogue against the formulas of the paper, written out in loops.
#include "schedule/recipe/catalogue.h"

#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "schedule/recipe/recipe_testing.h"

namespace cambium::schedule {
namespace {

using Int = std::int64_t;

std::size_t index(Int i) {
  return static_cast<std::size_t>(i);
}

// A document of the catalogue on an 8x8 image with 8 channels, and what it computes.
struct Named {
  explicit Named(const std::string& name, const ConvShape& conv = {}) : shape(conv) {
    const Original original = original_of(cx, shape);
    const Result<Document> read = read_document(cx, original, name);
    if (!read.ok()) {
      ADD_FAILURE() << name << ": " << read.rejection().message();
      return;
    }
    text = read->text;
    macs = read->macs;
    ratio = static_cast<double>(read->macs) / static_cast<double>(original.macs);
    weights = read->weights;
    pieces = read->half.blocks.size();
    numbers = numbers_of(cx, read->half, 5);
    const Result<Document> again = read_document(cx, original, text);
    if (!again.ok()) {
      ADD_FAILURE() << text << again.rejection().message();
      return;
    }
    EXPECT_EQ(again->text, text);
    EXPECT_EQ(again->identity, read->identity);
  }

  // Sum over inputs from + step*i with row `row` of weights that have `ins` of them.
  double conv(std::size_t piece, Int row, Int from, Int ins, Int h, Int v, Int step = 1) const {
    double sum = 0;
    for (Int i = 0; i < ins; ++i) {
      for (Int kh = 0; kh < shape.kh; ++kh) {
        for (Int kw = 0; kw < shape.kw; ++kw) {
          const double w =
              numbers.weights[piece][index(((row * ins + i) * shape.kh + kh) * shape.kw + kw)];
          sum += w * pixel(numbers.x, shape, from + step * i, h * shape.stride + kh - shape.pad_h(),
                           v * shape.stride + kw - shape.pad_w());
        }
      }
    }
    return sum;
  }

  void expect(Int channels, const std::function<double(Int, Int, Int)>& element) const {
    Values wanted;
    for (Int o = 0; o < channels; ++o) {
      for (Int h = 0; h < shape.out_h(); ++h) {
        for (Int v = 0; v < shape.out_w(); ++v) wanted.push_back(element(o, h, v));
      }
    }
    EXPECT_EQ(numbers.y, wanted) << text;
  }

  Context cx;
  ConvShape shape;
  std::string text;
  double ratio = 0;
  Int macs = 0, weights = 0;
  std::size_t pieces = 0;
  Numbers numbers;
};

TEST(Catalogue, GroupReadsSlices) {
  const Named r("group 4");
  r.expect(8, [&](Int o, Int h, Int v) { return r.conv(0, o, o / 2 * 2, 2, h, v); });
  EXPECT_EQ(r.ratio, 0.25);
  EXPECT_EQ(r.weights, 8 * 2 * 9);
  EXPECT_EQ(r.text, "group(outer: co, inner: ci, factor: 4)\n");
}

TEST(Catalogue, InterleavedGroupReadsEveryFourthChannel) {
  const Named r("interleaved group 4");
  r.expect(8, [&](Int o, Int h, Int v) { return r.conv(0, o, o / 2, 2, h, v, 4); });
  EXPECT_EQ(r.ratio, 0.25);
  EXPECT_NE(r.text, Named("group 4").text) << "the same MACs, another function";
}

TEST(Catalogue, DepthwiseReadsOneChannel) {
  const Named r("depthwise");
  r.expect(8, [&](Int o, Int h, Int v) { return r.conv(0, o, o, 1, h, v); });
  EXPECT_EQ(r.weights, 8 * 9);
  EXPECT_EQ(Named("group 8").text, r.text);
}

TEST(Catalogue, BottleneckComputesTheFirstChannels) {
  const Named r("bottleneck 2");
  r.expect(4, [&](Int o, Int h, Int v) { return r.conv(0, o, 0, 8, h, v); });
  EXPECT_EQ(r.ratio, 0.5);
}

TEST(Catalogue, InputBottleneckReadsTheFirstChannels) {
  const Named r("input bottleneck 4");
  r.expect(8, [&](Int o, Int h, Int v) { return r.conv(0, o, 0, 2, h, v); });
  EXPECT_EQ(r.ratio, 0.25);
}

TEST(Catalogue, SpatialBottleneckRepeatsPixels) {
  const Named r("spatial bottleneck 2");
  r.expect(8, [&](Int o, Int h, Int v) { return r.conv(0, o, 0, 8, h / 2 * 2, v / 2 * 2); });
  EXPECT_EQ(r.ratio, 0.25);
  EXPECT_EQ(r.weights, 8 * 8 * 9);
}

TEST(Catalogue, SlabsHaveWeightsAndPaddingOfTheirOwn) {
  const Named r("slabs 2");
  r.expect(8, [&](Int o, Int h, Int v) {
    const Int slab = h / 4;
    double sum = 0;
    for (Int i = 0; i < 8; ++i) {
      for (Int kh = 0; kh < 3; ++kh) {
        const Int row = h + kh - 1;
        if (row < slab * 4 || row >= slab * 4 + 4) continue;
        for (Int kw = 0; kw < 3; ++kw) {
          sum += pixel(r.numbers.x, r.shape, i, row, v + kw - 1) *
                 r.numbers.weights[0][index((((slab * 8 + o) * 8 + i) * 3 + kh) * 3 + kw)];
        }
      }
    }
    return sum;
  });
  EXPECT_EQ(r.ratio, 1) << "it does not compress";
  EXPECT_EQ(r.weights, 2 * 8 * 8 * 9);
}

TEST(Catalogue, ChannelSlabsComputeASliceOfTheChannels) {
  const Named r("channel slabs 2");
  r.expect(8, [&](Int o, Int h, Int v) { return o / 4 == h / 4 ? r.conv(0, o, 0, 8, h, v) : 0.0; });
  EXPECT_EQ(r.ratio, 0.5);
}

TEST(Catalogue, PeelLeavesTheFirstChannelsDense) {
  const Named r("peel 2 3");
  r.expect(8, [&](Int o, Int h, Int v) {
    if (o < 2) return r.conv(0, o, 0, 8, h, v);
    return r.conv(1, o - 2, 2 + (o - 2) / 2 * 2, 2, h, v);
  });
  EXPECT_EQ(r.macs, 9 * 64 * (8 * 2 + 6 * 6 / 3));
  EXPECT_EQ(r.pieces, 2u);
}

TEST(Catalogue, PeelOfOneGroupOnlySkips) {
  const Named r("peel 2 1");
  r.expect(8, [&](Int o, Int h, Int v) {
    if (o < 2) return r.conv(0, o, 0, 8, h, v);
    return r.conv(1, o - 2, 2, 6, h, v);
  });
  EXPECT_EQ(r.macs, 9 * 64 * (8 * 2 + 6 * 6));
}

TEST(Catalogue, HalvesHaveGroupsOfTheirOwn) {
  const Named r("halves 2 4");
  r.expect(8, [&](Int o, Int h, Int v) {
    if (o < 4) return r.conv(0, o, o / 2 * 4, 4, h, v);
    return r.conv(1, o - 4, (o - 4) * 2, 2, h, v);
  });
  EXPECT_EQ(r.ratio, 0.375);
}

TEST(Catalogue, AHalfOfOneGroupIsDense) {
  const Named r("halves 1 4");
  r.expect(8, [&](Int o, Int h, Int v) {
    if (o < 4) return r.conv(0, o, 0, 8, h, v);
    return r.conv(1, o - 4, (o - 4) * 2, 2, h, v);
  });
  EXPECT_EQ(Named("halves 1 1").text, "") << "that is the original";
}

TEST(Catalogue, QuartersAndEighthsCutFurther) {
  const Named quarters("quarters 1 2 1 2");
  quarters.expect(8, [&](Int o, Int h, Int v) {
    const std::size_t piece = index(o / 2);
    // The dense quarters still share the original's weights, from which the others are cut out.
    return piece % 2 == 0 ? quarters.conv(piece, o < 2 ? o : o - 2, 0, 8, h, v)
                          : quarters.conv(piece, o % 2, o % 2 * 4, 4, h, v);
  });
  EXPECT_EQ(quarters.ratio, 0.75);
  ConvShape wide;
  wide.co = wide.ci = 16;
  EXPECT_EQ(Named("eighths 1 1 1 1 2 2 2 2", wide).ratio, 0.75);
}

TEST(Catalogue, FitsPointwiseAndStridedConvolutions) {
  ConvShape pointwise;
  pointwise.kh = pointwise.kw = 1;
  const Named r("halves 2 4", pointwise);
  r.expect(8, [&](Int o, Int h, Int v) {
    if (o < 4) return r.conv(0, o, o / 2 * 4, 4, h, v);
    return r.conv(1, o - 4, (o - 4) * 2, 2, h, v);
  });
  ConvShape strided;
  strided.stride = 2;
  strided.co = 16;
  const Named s("group 2", strided);
  s.expect(16, [&](Int o, Int h, Int v) { return s.conv(0, o, o / 8 * 4, 4, h, v); });
}

TEST(Catalogue, AFactorOfOneIsTheOriginal) {
  for (const char* name : {"group 1", "interleaved group 1", "bottleneck 1", "input bottleneck 1",
                           "spatial bottleneck 1", "slabs 1", "channel slabs 1"}) {
    EXPECT_EQ(Named(name).text, "") << name;
  }
}

TEST(Catalogue, EveryRowReadsWithItsNumbers) {
  for (const CatalogueRow& row : catalogue()) {
    std::string written = row.name;
    for (std::string_view rest = row.numbers; !rest.empty();
         rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1)) {
      written += " 2";
    }
    const auto document = catalogue_document(written);
    ASSERT_TRUE(document.has_value()) << written;
    ASSERT_TRUE(document->ok()) << document->rejection().message();
    EXPECT_TRUE(steps_of(written, {{{"Co", 16}, {"Ci", 16}}}).ok()) << **document;
  }
}

TEST(Catalogue, RefusesNumbersThatItDoesNotExpect) {
  for (const char* name : {"group", "group 0", "group 2 3", "group x", "halves 2", "depthwise 2"}) {
    const auto document = catalogue_document(name);
    ASSERT_TRUE(document.has_value()) << name;
    ASSERT_FALSE(document->ok()) << name;
    EXPECT_EQ(document->rejection().reason(), Reason::BadSyntax) << name;
  }
}

TEST(Catalogue, LeavesStepsAndOtherTextAlone) {
  for (const char* text :
       {"group(outer: co, inner: ci, factor: 2)", "depthwise (outer: co, inner: ci)", "", "input",
        "interleaved", "reorder(loops: [co])"}) {
    EXPECT_FALSE(catalogue_document(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace cambium::schedule
