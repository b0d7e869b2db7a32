// Problem: the task of an operator of the coordinate space. It has the shapes of the one input and
// one output over named size variables, and the values of these variables at every place where the
// operator is to stand. Sampling, checking and lowering all take a Problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/binding.h"
#include "expr/size.h"
#include "expr/size_table.h"

namespace cambium::spaces::coordinate {

// Output axis `output` indexes input axis `input` unchanged, as the batch, which no operator mixes.
struct FixedPair {
  std::uint8_t output = 0, input = 0;

  friend bool operator==(const FixedPair&, const FixedPair&) = default;
};

struct Problem {
  expr::SizeTable sizes;
  std::vector<expr::Size> input, output;
  std::vector<FixedPair> fixed;
  // Axes whose order does not matter to the neighbours of an operator (spaces/places/neighbours.h).
  // A search for operators needs only one of two that differ by such an order. The meaning and the
  // costs of an operator do not depend on these lists.
  std::vector<std::uint8_t> unordered_input, unordered_output;
  std::vector<expr::Binding> bindings;  // at least one; each binds every variable of the table

  friend bool operator==(const Problem&, const Problem&) = default;
};

// The highest rank of input and output.
inline constexpr std::size_t kMaxRank = 8;

// From texts, as on a command line: problem_of("[N, Ci, H, W]", "[N, Co, H, W]",
// {"N=1, Ci=64, Co=64, H=56, W=56, k=3, g=2, s=2"}). A variable that is an axis by itself is
// primary. If an axis holds no such variable, all its variables are primary. Other variables of the
// shapes (the t of t*H), and variables that only bindings name, are coefficients. A variable that
// stands first in both shapes and nowhere else is a fixed pair, if other axes follow. Refuses a
// malformed shape, a variable that some binding leaves out, a size that is not an integer
// somewhere, and more elements than 64 bits count.
Result<Problem> problem_of(std::string_view input, std::string_view output,
                           std::span<const std::string> bindings);

// The same for a problem that is padded later: sizes need not be integers yet. After padding,
// `check_shapes` checks the shapes at every binding.
Result<Problem> problem_to_pad(std::string_view input, std::string_view output,
                               std::span<const std::string> bindings);
Status check_shapes(const Problem& problem);

// `[N, Ci, H, W]`.
std::string shape_text(const expr::SizeTable& sizes, std::span<const expr::Size> shape);

}  // namespace cambium::spaces::coordinate
