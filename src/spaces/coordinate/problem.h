// Problem: what an operator of the coordinate space must compute from and to: the shapes of its one
// input and one output over named size variables, and what those are worth at every place where the
// operator shall stand. Sampling, checking and lowering all take one.
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

// Output axis `output` indexes input axis `input` as it is: the batch, which no operator mixes.
struct FixedPair {
  std::uint8_t output = 0, input = 0;

  friend bool operator==(const FixedPair&, const FixedPair&) = default;
};

struct Problem {
  expr::SizeTable sizes;
  std::vector<expr::Size> input, output;
  std::vector<FixedPair> fixed;
  // Axes whose order is nothing to what stands around an operator (search/neighbours.h): whoever
  // looks for operators needs no two that differ by it. All that is said of one operator leaves
  // them out of account.
  std::vector<std::uint8_t> unordered_input, unordered_output;
  std::vector<expr::Binding> bindings;  // one at least; every variable of the table is bound in all

  friend bool operator==(const Problem&, const Problem&) = default;
};

// The highest rank of input and output.
inline constexpr std::size_t kMaxRank = 8;

// From texts, as on a command line: problem_of("[N, Ci, H, W]", "[N, Co, H, W]",
// {"N=1, Ci=64, Co=64, H=56, W=56, k=3, g=2, s=2"}). A variable that makes up an axis alone is
// primary, and so are all of an axis that holds no such one; others of the shapes (the t of t*H)
// and those that only bindings name are coefficients. A variable that stands first in both shapes
// and nowhere else is a fixed pair, if other axes follow. Refuses what is no shape, a variable that
// some binding leaves out, a size that is no integer somewhere, more elements than 64 bits count.
Result<Problem> problem_of(std::string_view input, std::string_view output,
                           std::span<const std::string> bindings);

// The same for whoever pads, before he does: a size need not be an integer; then what is asked of
// shapes at every binding.
Result<Problem> problem_to_pad(std::string_view input, std::string_view output,
                               std::span<const std::string> bindings);
Status check_shapes(const Problem& problem);

// `[N, Ci, H, W]`.
std::string shape_text(const expr::SizeTable& sizes, std::span<const expr::Size> shape);

}  // namespace cambium::spaces::coordinate
