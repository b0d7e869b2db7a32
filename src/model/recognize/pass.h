// The work and the activations of one pass over a batch in the form that trainings run: the model
// expanded and recognized, with its samples kept apart. Values that depend only on weights do not
// count, because they are computed once for any batch size. Limits on candidates use it, in
// searches and in spaces that propose only within the limits.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace cambium::model {

struct Pass {
  std::int64_t macs = 0;
  std::int64_t activation_bytes = 0;  // of all activations, whenever they are freed
};

Pass pass_of(const Model& model);
// Expanded but not recognized: the fallback if recognition would mix samples.
Pass pass_as_written(const Model& model);

}  // namespace cambium::model
