#include "base/host_memory.h"

#include <utility>

#include <fmt/core.h>
#include <unistd.h>

namespace cambium {

double host_memory() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

Rejection not_enough_memory(std::string what, double bytes, std::string present) {
  constexpr double kMebibyte = 1 << 20;
  if (present.empty()) present = fmt::format("this machine has {:.0f}", host_memory() / kMebibyte);
  return Rejection(Reason::NotEnoughMemory, std::move(what), std::move(present),
                   static_cast<std::int64_t>(bytes / kMebibyte));
}

}  // namespace cambium
