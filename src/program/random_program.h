// Random small programs for property tests. Each comes with an independent description of what it
// computes, which uses no loops, blocks or index expressions of this folder. The same seed gives
// the same program.
#pragma once

#include <cstdint>
#include <vector>

#include "program/context.h"

namespace cambium::program {

// One factor of a stage: an element of an earlier buffer, at an affine place for each dimension.
struct RandomRead {
  std::size_t buffer;
  std::vector<std::vector<std::int64_t>> steps;  // per dimension, per iterator
  std::vector<std::int64_t> offsets;             // per dimension
  bool is_padded;                                // outside the buffer: 0; otherwise wraps around
};

// target[spatial iterators, in some order] = sum or maximum over the others of r0 op r1 op r2.
struct RandomStage {
  std::vector<std::int64_t> extents;  // of the iterators, spatial ones first
  std::size_t spatial;                // how many of them
  std::vector<std::size_t> order;     // which spatial iterator indexes each dimension
  std::vector<RandomRead> reads;      // one to three
  bool multiplies;                    // r0 * r1, otherwise r0 - r1
  bool takes_maximum;                 // over the reduce iterators, otherwise the sum
};

// Buffers: the inputs, then the target of each stage; the last one is the output.
struct RandomFormula {
  std::vector<std::vector<std::int64_t>> inputs;  // dims
  std::vector<RandomStage> stages;

  std::vector<std::int64_t> dims_of(std::size_t buffer) const;
};

RandomFormula random_formula(std::uint64_t seed);

// The formula with plain loops.
Program plain_program(Context& cx, const RandomFormula& formula);
// The same with loops that are split (some with a tail), fused, reordered and annotated.
Program scheduled_program(Context& cx, const RandomFormula& formula, std::uint64_t seed);

// Small whole numbers, for which all that the formula computes is exact in doubles.
std::vector<std::vector<double>> random_inputs(const RandomFormula& formula, std::uint64_t seed);
std::vector<double> evaluate(const RandomFormula& formula,
                             const std::vector<std::vector<double>>& inputs);

}  // namespace cambium::program
