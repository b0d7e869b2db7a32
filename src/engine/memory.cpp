#include "engine/memory.h"

#include <fmt/core.h>

#include "base/host_memory.h"
#include "model/cost.h"

namespace cambium::engine {

Status check_memory(const model::Model& model, int runs) {
  const model::Cost cost = cost_of(model);
  const double needed = static_cast<double>(cost.weight_bytes) +
                        static_cast<double>(cost.peak_bytes) * runs;  // as doubles: may be huge
  if (needed <= host_memory()) return Ok{};
  return not_enough_memory(fmt::format("model '{}'", model.name()), needed);
}

}  // namespace cambium::engine
