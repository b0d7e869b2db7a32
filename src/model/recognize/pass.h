// What one pass over a batch computes and makes in the form that trainings run: the model expanded
// and recognized, its samples kept apart. What follows from weights alone does not count, since it
// is made once for a batch of any size. Limits on candidates ask for it, in searches and in spaces
// that propose only what keeps them.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace cambium::model {

struct Pass {
  std::int64_t macs = 0;
  std::int64_t activation_bytes = 0;  // of everything that is made, whenever it is freed
};

Pass pass_of(const Model& model);
// Expanded but not recognized: what is left where recognition would mix samples somewhere.
Pass pass_as_written(const Model& model);

}  // namespace cambium::model
