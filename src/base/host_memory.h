// The memory of this machine, and the refusal of what does not fit it or another device. Asked
// before something large is made, and told when an allocator refused.
#pragma once

#include <string>

#include "base/rejection.h"

namespace cambium {

double host_memory();  // bytes

// NotEnoughMemory. `present` ends the sentence: "GPU 0 has 139.72 GiB"; empty: what this machine
// has.
Rejection not_enough_memory(std::string what, double bytes, std::string present = {});

}  // namespace cambium
