// How much work is worth a thread: what rules that think of threads agree on.
#pragma once

#include <cstdint>

namespace cambium::schedule {

// Points below which threads cost more than they do.
inline constexpr std::int64_t kParallelWork = 1 << 15;

}  // namespace cambium::schedule
