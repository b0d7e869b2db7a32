// Limits of one synthesis: how many of each primitive an operator may hold, and which sizes it may
// have. The defaults are those of the paper's search for ResNet (depth 12, 5 reductions, two
// weights, 3 splits, 1 merge, 2 shifts, no strides, no pure expands). All options that change the
// space are here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "expr/size.h"
#include "spaces/coordinate/kinds.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate::synthesis {

struct Limits {
  int primitives = 12;  // in all; a weight counts as one CONTRACTION
  int weights = 2;
  int chain = 6;  // primitives between a coordinate and an output or a reduction
  // One limit for each primitive: `reductions`, `splits`, `merges`, ... (kinds.h).
#define CAMBIUM_X(name, text, counts, usual, most, what) int counts = usual;
  CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X)
#undef CAMBIUM_X
  int of(PrimitiveKind kind) const;  // `weights` for a CONTRACTION

  // Sizes. Parameters of primitives are taken from the monomials whose coefficients have powers in
  // [-coefficient_power, coefficient_power] and whose primary variables have `primary_power` in
  // sum.
  int coefficient_power = 2;
  int primary_power = 1;
  int size_variables = 4;  // different variables in a size, also in sizes that primitives made
  int size_powers = 6;     // sum of the absolute powers of a size
  // How often a variable may occur: a primary variable in reductions and weights, a coefficient in
  // reductions, blocks and strides. Variables of a fixed pair may not occur.
  std::array<std::uint8_t, expr::kMaxVars> occurrences = all_of(3);

  // UNFOLD: the window K and the base N.
  std::int64_t window = 30;   // K at most, at every binding
  double window_ratio = 2.0;  // N / K at least
  bool odd_windows = true;    // K odd everywhere, so that the window has a middle
  std::int64_t strided = 30;  // S * K at most, if the result of a STRIDE is a window
  // Reductions: their volume relative to the elements of the input, and the part of the volume that
  // no weight reads, which is averaged.
  double reduction_volume = 4;
  std::int64_t pooling = 8;

  // Allow sizes that are an integer at some binding only with its primary variables padded. Such a
  // size counts as rounded up, and lowering the operator pads.
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

// A limit that is a whole number. Options and refusals call it by this name.
struct LimitInfo {
  const char* name;  // `merges`
  const char* what;  // what it limits, as a phrase for --help
  int least, most;
  int Limits::*limit;
  std::optional<PrimitiveKind> primitive;  // that it is about
};
// `primitives`, one for each primitive in their order, `weights` and `chain`.
std::span<const LimitInfo> limit_infos();
// The most that makes a difference: no more than an operator may have primitives.
int most_useful(const LimitInfo& info);

// Variables that are an axis of input and output pass through an operator; weights that read them
// differ from place to place. Unless all axes are such, they do not by default.
Limits with_default_occurrences(const Problem& problem, Limits limits);

}  // namespace cambium::spaces::coordinate::synthesis
