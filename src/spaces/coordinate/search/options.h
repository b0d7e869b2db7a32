// What a search over the coordinate space may propose: plain numbers. The defaults are the paper's
// for ResNet where it gives them. The maker of a CoordinateSpace fills one.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/settings.h"
#include "spaces/coordinate/synthesis/limits.h"
#include "spaces/coordinate/synthesis/rules/rule_set.h"

namespace cambium::spaces::coordinate {

// A variable that shapes do not name. A divisor is clipped to the greatest number for which the
// product of all divisors up to it divides every number of channels; a divisor of 1 is left out.
// Other coefficients (the window k) are not clipped.
struct CoefficientOption {
  std::string name;
  std::int64_t value = 1;
  bool is_divisor = true;
};

struct SpaceOptions {
  synthesis::Limits limits;
  synthesis::RuleSet rules;
  std::vector<CoefficientOption> coefficients{{"k", 3, false}, {"s", 2}, {"g", 32}};
  // How often variables of these names may occur in reductions and weights (coefficients: in
  // reductions, blocks and strides). `limits` covers all other names. Spatial axes never occur.
  std::vector<std::pair<std::string, std::uint8_t>> occurrences{
      {"Ci", 2}, {"Co", 4}, {"D", 0}, {"H", 0}, {"W", 0},
      {"L", 0},  {"T", 0},  {"k", 2}, {"s", 2}, {"g", 3}};

  // Shares of the original's cost, summed over all places of an edit. Memory counts input, output,
  // weights and results between stages.
  double least_macs = 0.15, most_macs = 0.9;
  double most_parameters = 1;
  double most_memory = std::numeric_limits<double>::infinity();
  // Share of the activations of one pass of the whole base model, as training runs it
  // (least_costs.h). The default is that of `cambium search --max-activations`.
  double most_activations = 3;

  // The least number of input axes, without the batch, that are read through a reduction. For an
  // image, 3 leaves only operators that mix channels and see neighbours along both axes.
  static constexpr int kAsTheOriginal = -1;
  int least_mixed = kAsTheOriginal;

  // Places with fewer channels or a shorter spatial axis keep their layer.
  std::int64_t least_channels = 4, least_extent = 4;
  // The most walks that one sample takes.
  int patience = 2000;
};

// By name, for people and searches: "most-macs", "primitives", "k" ... `options` must outlive it.
Settings settings_of(SpaceOptions& options);

}  // namespace cambium::spaces::coordinate
