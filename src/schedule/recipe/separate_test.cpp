// One sum as two: every document that separates, against plain loops.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "program/walk.h"
#include "schedule/recipe/recipe_testing.h"

namespace cambium::schedule {
namespace {

using Int = std::int64_t;

// What the two sums compute, as formulas over plain numbers.
struct Separated {
  explicit Separated(const std::string& written, const ConvShape& conv = {}) : shape(conv) {
    const Original original = original_of(cx, shape);
    const Result<Document> read = read_document(cx, original, written);
    if (!read.ok()) {
      ADD_FAILURE() << written << ": " << read.rejection().message();
      return;
    }
    text = read->text;
    macs = read->macs;
    weights = read->weights;
    EXPECT_NE(read->identity, original.identity);
    EXPECT_EQ(read->half.blocks.size(), 2u);
    numbers = numbers_of(cx, read->half, 5);
    for (const program::Buffer* buffer : read->half.schedule.program().parameters) {
      if (buffer->role != program::Role::Constant) continue;
      dims.emplace_back(buffer->dims.begin(), buffer->dims.end());
    }
    const Result<Document> again = read_document(cx, original, text);
    if (!again.ok()) {
      ADD_FAILURE() << text << again.rejection().message();
      return;
    }
    EXPECT_EQ(again->text, text);
    EXPECT_EQ(again->identity, read->identity);
  }

  double first(Int i) const { return numbers.weights[0][static_cast<std::size_t>(i)]; }
  double second(Int i) const { return numbers.weights[1][static_cast<std::size_t>(i)]; }
  double x(Int c, Int h, Int v) const { return pixel(numbers.x, shape, c, h, v); }
  Int row(Int h, Int kh) const { return h * shape.stride + kh - shape.pad_h(); }
  Int column(Int v, Int kw) const { return v * shape.stride + kw - shape.pad_w(); }

  void expect(const std::function<double(Int, Int, Int)>& element) const {
    Values wanted;
    for (Int o = 0; o < shape.co; ++o) {
      for (Int h = 0; h < shape.out_h(); ++h) {
        for (Int v = 0; v < shape.out_w(); ++v) wanted.push_back(element(o, h, v));
      }
    }
    EXPECT_EQ(numbers.y, wanted) << text;
  }

  Context cx;
  ConvShape shape;
  std::string text;
  Int macs = 0, weights = 0;
  std::vector<Ints> dims;
  Numbers numbers;
};

const std::vector<ConvShape>& shapes() {
  static const std::vector<ConvShape> all = {
      {},
      {.ci = 4, .co = 12, .h = 6, .w = 8},
      {.ci = 4, .co = 8, .h = 8, .w = 6, .stride = 2},
      {.ci = 8, .co = 4, .h = 5, .w = 7, .kh = 5},
      {.ci = 8, .co = 12, .h = 6, .w = 6, .groups = 2},
      {.ci = 8, .co = 12, .h = 7, .w = 7, .stride = 2, .groups = 4},
  };
  return all;
}

TEST(Separate, PointwiseThenDepthwise) {
  for (const ConvShape& shape : shapes()) {
    const Separated s("pointwise then depthwise", shape);
    const Int ins = shape.ci / shape.groups, width = shape.co / shape.groups;
    s.expect([&](Int o, Int h, Int v) {
      double sum = 0;
      for (Int kh = 0; kh < shape.kh; ++kh) {
        for (Int kw = 0; kw < shape.kw; ++kw) {
          double inner = 0;
          for (Int i = 0; i < ins; ++i) {
            inner += s.first(o * ins + i) * s.x(o / width * ins + i, s.row(h, kh), s.column(v, kw));
          }
          sum += inner * s.second((o * shape.kh + kh) * shape.kw + kw);
        }
      }
      return sum;
    });
    EXPECT_EQ(s.dims[0], (Ints{shape.co, ins, 1, 1}));
    EXPECT_EQ(s.dims[1], (Ints{shape.co, 1, shape.kh, shape.kw}));
    EXPECT_EQ(s.macs, shape.co * ins * shape.h * shape.w +
                          shape.co * shape.kh * shape.kw * shape.out_h() * shape.out_w())
        << "no place of the border is computed";
  }
}

TEST(Separate, DepthwiseThenPointwise) {
  for (const ConvShape& shape : shapes()) {
    const Separated s("depthwise then pointwise", shape);
    const Int ins = shape.ci / shape.groups, width = shape.co / shape.groups;
    s.expect([&](Int o, Int h, Int v) {
      double sum = 0;
      for (Int i = 0; i < ins; ++i) {
        const Int c = o / width * ins + i;
        double inner = 0;
        for (Int kh = 0; kh < shape.kh; ++kh) {
          for (Int kw = 0; kw < shape.kw; ++kw) {
            inner += s.first((c * shape.kh + kh) * shape.kw + kw) *
                     s.x(c, s.row(h, kh), s.column(v, kw));
          }
        }
        sum += inner * s.second(o * ins + i);
      }
      return sum;
    });
    EXPECT_EQ(s.dims[0], (Ints{shape.ci, 1, shape.kh, shape.kw}));
    EXPECT_EQ(s.dims[1], (Ints{shape.co, ins, 1, 1}));
    const Int places = shape.out_h() * shape.out_w();
    EXPECT_EQ(s.macs, (shape.ci * shape.kh * shape.kw + shape.co * ins) * places);
  }
}

TEST(Separate, RowsThenColumns) {
  for (const bool mixes : {false, true}) {
    for (const ConvShape& shape : shapes()) {
      const Separated s(mixes ? "rows then columns" : "rows then depthwise columns", shape);
      const Int ins = shape.ci / shape.groups, width = shape.co / shape.groups;
      const auto middle = [&](Int o, Int h, Int column) {
        double sum = 0;
        for (Int i = 0; i < ins; ++i) {
          for (Int kh = 0; kh < shape.kh; ++kh) {
            sum += s.first((o * ins + i) * shape.kh + kh) *
                   s.x(o / width * ins + i, s.row(h, kh), column);
          }
        }
        return sum;
      };
      s.expect([&](Int o, Int h, Int v) {
        double sum = 0;
        for (Int kw = 0; kw < shape.kw; ++kw) {
          const Int column = s.column(v, kw);
          if (!mixes) {
            sum += s.second(o * shape.kw + kw) * middle(o, h, column);
            continue;
          }
          for (Int i = 0; i < width; ++i) {
            sum += s.second((o * width + i) * shape.kw + kw) *
                   middle(o / width * width + i, h, column);
          }
        }
        return sum;
      });
      EXPECT_EQ(s.macs,
                shape.co * ins * shape.kh * shape.out_h() * shape.w +
                    shape.co * (mixes ? width : 1) * shape.kw * shape.out_h() * shape.out_w());
    }
  }
}

// What other steps make of a nest can be separated, and the second sum can be rewritten further.
TEST(Separate, GoesWithOtherSteps) {
  const Separated grouped("group(outer: co, inner: ci, factor: 2)\nseparate(first: [ci])\n");
  grouped.expect([&](Int o, Int h, Int v) {
    double sum = 0;
    for (Int k = 0; k < 9; ++k) {
      double inner = 0;
      for (Int i = 0; i < 4; ++i) {
        inner += grouped.first(o * 4 + i) *
                 grouped.x(o / 4 * 4 + i, grouped.row(h, k / 3), grouped.column(v, k % 3));
      }
      sum += inner * grouped.second(o * 9 + k);
    }
    return sum;
  });
  const Separated depthwise("depthwise(outer: co, inner: ci)\nseparate(first: [kh])\n");
  depthwise.expect([&](Int o, Int h, Int v) {
    double sum = 0;
    for (Int kw = 0; kw < 3; ++kw) {
      for (Int kh = 0; kh < 3; ++kh) {
        sum += depthwise.first(o * 3 + kh) * depthwise.second(o * 3 + kw) *
               depthwise.x(o, depthwise.row(h, kh), depthwise.column(v, kw));
      }
    }
    return sum;
  });
  const Separated coarse("bottleneck(loop: h, factor: 2)\nseparate(first: [ci])\n");
  coarse.expect([&](Int o, Int h, Int v) {
    double sum = 0;
    for (Int k = 0; k < 9; ++k) {
      double inner = 0;
      for (Int i = 0; i < 8; ++i) {
        inner += coarse.first(o * 8 + i) *
                 coarse.x(i, coarse.row(h / 2 * 2, k / 3), coarse.column(v, k % 3));
      }
      sum += inner * coarse.second(o * 9 + k);
    }
    return sum;
  });
}

TEST(Separate, RefusesAndSaysWhy) {
  Context cx;
  const Original original = original_of(cx, {});
  const auto why = [&](const std::string& written, Reason reason, const std::string& part) {
    const Result<Document> read = read_document(cx, original, written);
    ASSERT_FALSE(read.ok()) << written;
    EXPECT_EQ(read.rejection().reason(), reason) << read.rejection().message();
    EXPECT_NE(read.rejection().message().find(part), std::string::npos)
        << read.rejection().message();
  };
  why("separate(first: [])", Reason::BadFactors, "the first sum is empty");
  why("separate(first: [ci, kh, kw])", Reason::BadFactors, "the second sum is empty");
  why("separate(first: [z])", Reason::UnknownName, "z");
  why("separate(first: [ci, h])", Reason::NotAContraction, "'h' counts neither");
  why("separate(first: [kh, kw], mixes: true)", Reason::BadFactors,
      "already has the input channels");
  why("split(loop: ci, factors: [0, 2], tail: exact)\nseparate(first: [ci.0])",
      Reason::NotAContraction, "all loops over input channels");
  why("split(loop: h, factors: [2, 0], tail: exact)\ngroup_slabs(rows: h.0)\nseparate(first: [ci])",
      Reason::NotAContraction, "under a condition");
  why("partition(loop: co, points: [4])\nseparate(first: [ci])", Reason::NotAContraction,
      "reads its padding too");
}

}  // namespace
}  // namespace cambium::schedule
