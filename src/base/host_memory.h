// The memory of this machine, and the refusal if something does not fit into it or into the memory
// of another device. Used before large allocations and after an allocator has failed.
#pragma once

#include <string>

#include "base/rejection.h"

namespace cambium {

double host_memory();  // bytes

// NotEnoughMemory. `present` ends the sentence, as in "GPU 0 has 139.72 GiB"; if it is empty, the
// sentence ends with the memory of this machine.
Rejection not_enough_memory(std::string what, double bytes, std::string present = {});

}  // namespace cambium
