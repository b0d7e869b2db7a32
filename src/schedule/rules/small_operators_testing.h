// Small programs as lowering writes them, with odd sizes, for the tests of rules, and a comparison
// of their results.
#pragma once

#include <string>
#include <vector>

#include "program/context.h"
#include "program/program.h"

namespace cambium::schedule {

// y = max(0, x * w + bias), rows by columns.
program::Program matmul(program::Context& cx, std::int64_t m, std::int64_t n, std::int64_t k);

// A padded convolution of a square image, channels last, and its ReLU.
struct Conv {
  std::int64_t size, in, out, kernel, stride, pad, groups;
};
program::Program conv(program::Context& cx, const Conv& c);
// The text of one of these, for tests that take texts.
std::string matmul_text(std::int64_t m, std::int64_t n, std::int64_t k);
std::string conv_text(const Conv& c);

program::Program softmax(program::Context& cx, std::int64_t rows, std::int64_t columns);

// A convolution transposed with stride 2, by phases, of a square image.
program::Program transposed_conv(program::Context& cx, std::int64_t size, std::int64_t in,
                                 std::int64_t out);

// Scores of attention: both operands are read across their order.
program::Program scores(program::Context& cx, std::int64_t heads, std::int64_t length,
                        std::int64_t depth);

// The square root of the sum of squares.
program::Program norm(program::Context& cx, std::int64_t size);

struct Operator {
  std::string name;
  program::Program program;
};
std::vector<Operator> small_operators(program::Context& cx);

// Empty, or the first element in which the outputs of two programs differ, on random inputs.
std::string difference(program::Context& cx, const program::Program& before,
                       const program::Program& after);

}  // namespace cambium::schedule
