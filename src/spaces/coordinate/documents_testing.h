// Problems and operators in one line each, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/coordinate/document.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate::testing {

inline Problem make_problem(std::string_view in, std::string_view out,
                            const std::vector<std::string>& bindings) {
  return problem_of(in, out, bindings).value();
}

// The problem of a 2-D convolution, at two places with different channels.
inline Problem conv_problem() {
  return make_problem(
      "[N, Ci, H, W]", "[N, Co, H, W]",
      {"N=1, Ci=8, Co=8, H=6, W=7, k=3, g=2, s=2", "N=2, Ci=8, Co=16, H=4, W=4, k=3, g=2, s=2"});
}

// The problem of [H, W] -> [H, W] without a batch.
inline Problem plane_problem() {
  Problem problem = make_problem("[H, W]", "[H, W]", {"H=6, W=4, k=3, s=2"});
  problem.fixed.clear();
  return problem;
}

inline std::string refusal(const Problem& problem, std::string_view document) {
  const Result<Operator> result = parse(problem, document);
  return result.ok() ? "accepted" : result.rejection().message();
}

inline constexpr std::string_view kConv2d = R"(operator [N, Ci, H, W] -> [N, Co, H, W]
out   n, o, h, w
sum   i: Ci, a: k, b: k
x     n, i, unfold(h, a), unfold(w, b)
w1    o, i, a, b
)";

inline constexpr std::string_view kOperator1 = R"(operator [N, Ci, H, W] -> [N, Co, H, W]
out   n, o, h, w
sum   G: g, i: Ci/g, a: k, b: k, c: Co/(g*s)
x     n, split(G, i), unfold(h, a), unfold(w, b)
w1    G, a, b, o, c
w2    split(G, i), b, c
)";

}  // namespace cambium::spaces::coordinate::testing
