// What a search over the coordinate space may propose: plain numbers, with the paper's defaults for
// ResNet where it tells them. Whoever makes a CoordinateSpace fills one.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "spaces/coordinate/synthesis/limits.h"
#include "spaces/coordinate/synthesis/rules/rule_set.h"

namespace cambium::spaces::coordinate {

// A variable that shapes do not name. Divisors are clipped: each is at most the greatest number for
// which the product of all divisors up to it divides every number of channels; one that would be 1
// is left out. Others (the window k) are taken as they are.
struct CoefficientOption {
  std::string name;
  std::int64_t value = 1;
  bool is_divisor = true;
};

struct SpaceOptions {
  synthesis::Limits limits;
  synthesis::RuleSet rules;
  std::vector<CoefficientOption> coefficients{{"k", 3, false}, {"s", 2}, {"g", 32}};
  // How often variables of these names may stand in reductions and weights (coefficients: in
  // reductions, blocks and strides); all others as often as `limits` say. Axes of space never do.
  std::vector<std::pair<std::string, std::uint8_t>> occurrences{
      {"Ci", 2}, {"Co", 4}, {"D", 0}, {"H", 0}, {"W", 0},
      {"L", 0},  {"T", 0},  {"k", 2}, {"s", 2}, {"g", 3}};

  // Shares of what the original takes, summed over all places of an edit. Memory is what input,
  // output, weights and results between stages hold.
  double least_macs = 0.15, most_macs = 0.9;
  double most_parameters = 1;
  double most_memory = std::numeric_limits<double>::infinity();
  // Of what one pass of the base model makes, all of its layers together, as trainings run it
  // (activations.h): the limit that `cambium search --max-activations` has unless it is told
  // otherwise.
  double most_activations = 3;

  // How many axes of the input, the batch apart, must be read through a reduction at least: 3 of an
  // image leaves only operators that mix channels and see neighbours along both axes.
  static constexpr int kAsTheOriginal = -1;
  int least_mixed = kAsTheOriginal;

  // Places with fewer channels or a smaller axis of space keep what they have.
  std::int64_t least_channels = 4, least_extent = 4;
  // How many walks one sample takes at most.
  int patience = 2000;
};

}  // namespace cambium::spaces::coordinate
