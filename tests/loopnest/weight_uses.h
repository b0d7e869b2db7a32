// Which weights of a program do the same as which of another, told without any of the code that
// reads functions from nests: from the derivative of a random sum of its outputs by each element,
// at random inputs and with all weights 1, in whole numbers modulo 2^64.
#pragma once

#include <cstdint>
#include <vector>

#include "program/context.h"

namespace cambium::tests {

struct WeightUses {
  // By constants in the order of the parameters, and by elements. 0: it has no effect.
  std::vector<std::vector<std::uint64_t>> derivatives;

  // All but 0, in order. Two programs of one convolution whose outputs differ, whatever weights the
  // second has, have different ones.
  std::vector<std::uint64_t> sorted() const;
};

// Of a program of copies, zeros and sums of products (anything else fails the test) with one input
// and one output.
WeightUses weight_uses_of(const program::Program& program, std::uint64_t seed);

}  // namespace cambium::tests
