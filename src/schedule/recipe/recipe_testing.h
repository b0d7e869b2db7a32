// Convolutions for the tests of documents, as lowering writes them, and what they compute on small
// whole numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/recipe/document.h"

namespace cambium::schedule {

struct ConvShape {
  std::int64_t ci = 8, co = 8, h = 8, w = 8, kh = 3, kw = 3, stride = 1, groups = 1, n = 1;

  std::int64_t pad_h() const { return kh / 2; }
  std::int64_t pad_w() const { return kw / 2; }
  std::int64_t out_h() const { return (h + 2 * pad_h() - kh) / stride + 1; }
  std::int64_t out_w() const { return (w + 2 * pad_w() - kw) / stride + 1; }
};

// Parameters x, w, y; the block is `conv`.
Program conv_of(Context& cx, const ConvShape& shape);
Original original_of(Context& cx, const ConvShape& shape);  // with failures of the test

using Values = std::vector<double>;

// A program run on random whole numbers.
struct Numbers {
  Values x, y;
  std::vector<Values> weights;  // by nest, in the order of the half's blocks
};
Numbers numbers_of(Context& cx, const NeuralHalf& half, std::uint64_t seed);

// The output of a program whose arguments, in the order of its parameters, are these.
Values run_of(Context& cx, const Program& program, const std::vector<Values>& arguments);

// Element (c, h, v) of the only sample of an image of that shape; 0 outside.
double pixel(const Values& image, const ConvShape& shape, std::int64_t c, std::int64_t h,
             std::int64_t v);

}  // namespace cambium::schedule
