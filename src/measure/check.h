// Whether a kernel computes what its program means. A Case holds random arguments and what is
// expected for them: of programs that are not too large every element, by the interpreter in double
// precision; of all programs sampled elements, computed from the blocks alone (points.h). The bound
// on what rounding may do is that of rounding.h, per element. Refuses WrongResult, with the
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
  // Floating inputs are small whole numbers; where that makes the result exact, no error is
  // allowed.
  bool is_whole = false;
  double low = -1, high = 1;                // of floating inputs otherwise
  std::int64_t interpreted = 300'000'000;   // points of blocks; larger programs are sampled only
  std::int64_t samples = 64;                // elements of each output
  std::int64_t sample_budget = 50'000'000;  // operations for one; if it takes more, none is sampled
};

struct Case {
  struct Output {
    std::vector<double> values;  // all, or none
    double slack = 0;            // of `values`: what they may be off by without a second look
    std::vector<std::int64_t> sampled;  // elements
    std::vector<Estimate> estimates;    // of them
  };

  Case() = default;
  Case(Case&&) = default;
  Case& operator=(Case&&) = default;

  KernelBuffers buffers;
  std::vector<program::Array> arguments;
  std::vector<Output> outputs;
  bool is_exact = false;
  std::shared_ptr<Points> points;  // judges what is off by more than the slack
};

// Of the program as lowered; schedules of it compute the same. Inputs that index a buffer stay
// within it; where the outputs would be NaN, inputs are positive instead. Refuses what the
// interpreter and Points refuse.
Result<Case> make_case(program::Context& cx, const program::Program& lowered,
                       const CaseOptions& options = {});
// For a program that was too large for the interpreter: takes what a version of it with another
// schedule computed as expected, every element. Refuses WrongResult when the samples disagree.
Status take_second_version(Case& test, std::span<const program::Array> outputs);

// The largest error, as a share of its bound (at most 1), or which element is wrong.
Result<double> check_outputs(const Case& test, std::span<const program::Array> outputs);

}  // namespace cambium::measure
