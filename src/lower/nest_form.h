// NestForm: the meaning of a Composite of the loop-nest space. It is a convolution of the original
// and the neural half of a trace that rewrites its nest (schedule/recipe). The document of the
// Composite holds both; its first line is the convolution:
//
//   conv filter=[64, 64, 3, 3] strides=[1, 1] pads=[1, 1, 1, 1] dilations=[1, 1] groups=1
//   group(outer: co, inner: ci, factor: 4)
//
// Composites of this form are not expanded before lowering. The convolution is lowered as it was in
// the original. The steps are then replayed on it in compile/group.h, because lowering does not
// depend on schedules. Refuses (BadSyntax) another first line, attributes of different ranks, and
// numbers that no convolution has.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace cambium::lower {

inline constexpr std::string_view kNestSpace = "loopnest";

struct NestForm {
  model::Conv conv;
  model::Ints filter;  // dimensions of the convolution's weight
  std::string recipe;  // steps, one a line

  std::int64_t outs() const { return filter[0]; }
};

std::string to_text(const NestForm& form);
Result<NestForm> read_nest_form(std::string_view text);

// Whether the node is a Composite that is lowered as a nest: its document is a NestForm for its
// inputs, and all inputs but x are weights.
bool is_nest(const model::Model& model, model::NodeId id);

}  // namespace cambium::lower
