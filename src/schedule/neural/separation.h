// Separation: the facts that the step Separate needs to split a sum into two: which dimensions and
// loops belong to which sum, and the channels of the middle, which is the local between the sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "schedule/neural/nest_contraction.h"
#include "schedule/neural/neural.h"
#include "schedule/neural/padded_copy.h"

namespace cambium::schedule::neural {

// A dimension of x and of the middle, which has the same rank.
struct SeparatedDimension {
  bool is_channels = false;
  std::string_view pixels;    // the loop over its pixels
  std::size_t of_target = 0;  // its position in the target; for pixels only
  bool has_first_tap = false, has_second_tap = false;
  std::int64_t size = 1;  // of the middle, without padding
};

// What a dimension of the weights counts.
struct WeightDimension {
  bool has_out = false, has_in = false, has_first_tap = false, has_second_tap = false;
};

struct Separation {
  const Separate* step = nullptr;
  Contraction c;           // owns its weights
  bool keeps_ins = false;  // the middle has the channels of x; false: those of the target
  std::vector<SeparatedDimension> dims;
  std::optional<PaddedCopy> padded;  // of x, if the second sum needs its zeros
  // Loops over the channels of the middle: groups first, then the channels within them.
  std::vector<NestAxis> middle;
  std::int64_t channels = 1;  // of the middle
  std::vector<WeightDimension> weights;
  std::size_t out_dim = 0, in_dim = 0;  // of the weights

  bool is_first(const NestAxis& axis) const;     // the step names it
  bool is_in_first(const NestAxis& axis) const;  // the first nest has it or a copy of it
  bool is_channel_of_middle(const NestAxis& axis) const;
  // The number of a channel of the middle, with some iterators replaced.
  Expr channel(Context& cx, const std::map<std::string_view, Expr>& others = {}) const;
  std::int64_t mixed_count() const;  // output channels of a group
};

// Refuses what Separate refuses.
Result<Separation> separation_of(Draft& draft, const Separate& step);

}  // namespace cambium::schedule::neural
