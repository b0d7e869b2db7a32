// The least work that is worth a thread, shared by the rules that use threads.
#pragma once

#include <cstdint>

namespace cambium::schedule {

// Points below which threads cost more than they do.
inline constexpr std::int64_t kParallelWork = 1 << 15;

}  // namespace cambium::schedule
