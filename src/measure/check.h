// Checks whether a kernel computes the meaning of its program. A Case holds random arguments and
// the expected outputs. For programs that are not too large, the interpreter computes every element
// in double precision. For all programs, sampled elements are computed from the blocks alone
// (points.h). rounding.h bounds the rounding error of each element. Refuses WrongResult, with the
// element.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "measure/buffers.h"
#include "measure/points.h"
#include "program/context.h"
#include "program/interpret.h"

namespace cambium::measure {

struct CaseOptions {
  std::uint64_t seed = 1;
  // Floating inputs are small whole numbers. If that makes the result exact, no error is allowed.
  bool is_whole = false;
  double low = -1, high = 1;                // range of floating inputs otherwise
  std::int64_t interpreted = 300'000'000;   // most points of blocks; larger: only sampled
  std::int64_t samples = 64;                // sampled elements of each output
  std::int64_t sample_budget = 50'000'000;  // operations for one element; if more, none is sampled
};

struct Case {
  struct Output {
    std::vector<double> values;         // of all elements, or empty
    double slack = 0;                   // errors of `values` up to this need no closer check
    std::vector<std::int64_t> sampled;  // their numbers
    std::vector<Estimate> estimates;    // expected values of the sampled elements
  };

  Case() = default;
  Case(Case&&) = default;
  Case& operator=(Case&&) = default;

  KernelBuffers buffers;
  std::vector<program::Array> arguments;
  std::vector<Output> outputs;
  bool is_exact = false;
  std::shared_ptr<Points> points;  // checks elements with a larger error than the slack
};

// A case for a lowered program; every schedule of the program must pass it. Inputs that index a
// buffer stay within it. If outputs would be NaN, inputs are positive instead. Refuses what the
// interpreter and Points refuse.
Result<Case> make_case(program::Context& cx, const program::Program& lowered,
                       const CaseOptions& options = {});
// For a program that is too large for the interpreter: takes every element that another schedule of
// it computed as expected. Refuses WrongResult if the sampled elements disagree.
Status take_second_version(Case& test, std::span<const program::Array> outputs);

// The largest error as a share of its bound (at most 1). Refuses WrongResult with the first wrong
// element.
Result<double> check_outputs(const Case& test, std::span<const program::Array> outputs);

}  // namespace cambium::measure
