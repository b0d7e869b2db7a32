#include "engine/memory.h"

#include <fmt/core.h>
#include <unistd.h>

#include "model/cost.h"

namespace cambium::engine {

Status check_memory(const model::Model& model, int runs) {
  const model::Cost cost = cost_of(model);
  const double needed = static_cast<double>(cost.weight_bytes) +
                        static_cast<double>(cost.peak_bytes) * runs;  // as doubles: may be huge
  const double present =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (needed <= present) return Ok{};
  constexpr double kMebibyte = 1 << 20;
  return Rejection(Reason::NotEnoughMemory, fmt::format("model '{}'", model.name()), "",
                   static_cast<std::int64_t>(needed / kMebibyte),
                   static_cast<std::int64_t>(present / kMebibyte));
}

}  // namespace cambium::engine
