// Limits of one synthesis: how much of each primitive an operator may hold and how wild its sizes
// may be. Defaults are those of the paper's search for ResNet (depth 12, 5 reductions, two weights,
// 3 splits, 1 merge, 2 shifts, no strides, no pure expands). Whatever changes the space is here.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "expr/size.h"

namespace cambium::spaces::coordinate::synthesis {

struct Limits {
  int primitives = 12;  // in all; a weight counts as one CONTRACTION
  int reductions = 5;
  int weights = 2;
  int splits = 3;
  int merges = 1;
  int shifts = 2;
  int strides = 0;
  int unfolds = 4;
  int expands = 0;  // coordinates that neither the data nor a weight reads: plain repetition
  int chain = 6;    // primitives on the way from a coordinate down to an output or a reduction

  // Sizes. Parameters of primitives are taken from the monomials whose coefficients have powers in
  // [-coefficient_power, coefficient_power] and whose primary variables have `primary_power` in
  // sum.
  int coefficient_power = 2;
  int primary_power = 1;
  int size_variables = 4;  // different variables in a size, also in one that primitives made
  int size_powers = 6;     // sum of the absolute powers of a size
  // How often a variable may stand in reductions and weights (primary ones), in reductions, blocks
  // and strides (coefficients). Those of a fixed pair may never.
  std::array<std::uint8_t, expr::kMaxVars> occurrences = all_of(3);

  // UNFOLD: the window K and the base N.
  std::int64_t window = 30;   // K at most, at every binding
  double window_ratio = 2.0;  // N / K at least
  bool odd_windows = true;    // K odd everywhere, so that the window has a middle
  std::int64_t strided = 30;  // S * K at most, where the result of a STRIDE is a window
  // Reductions: their volume relative to the elements of the input; and the part of it that no
  // weight reads, which is averaged.
  double reduction_volume = 4;
  std::int64_t pooling = 8;

  // Sizes that are no integer at some binding, but would be with its primary variables padded,
  // count as rounded up; whoever lowers such an operator pads.
  bool pad = false;

  int weight_axes = 6;
  std::int64_t least_weight = 1;  // elements of a weight, at every binding
  bool weight_free = false;       // operators without any weight, such as pooling

  static constexpr std::array<std::uint8_t, expr::kMaxVars> all_of(std::uint8_t count) {
    std::array<std::uint8_t, expr::kMaxVars> all{};
    for (std::uint8_t& one : all) one = count;
    return all;
  }
};

}  // namespace cambium::spaces::coordinate::synthesis
