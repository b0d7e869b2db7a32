// Plans the memory of the values between kernels. Values that are alive at the same time never
// overlap; others may share memory. The planner places one value after the other, each in the
// tightest gap between earlier values. It tries a few orders and keeps the best plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cambium::compile {

inline constexpr std::int64_t kAlignment = 64;  // of every value, in bytes

constexpr std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// A value lives from the call that writes it to the last call that reads it, including both: a
// kernel may write its output while it still reads its inputs.
struct Lifetime {
  std::int64_t bytes = 0;
  std::int64_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<std::int64_t> offsets;  // one per lifetime
  std::int64_t bytes = 0;             // size of the whole plan
  std::int64_t live_bytes = 0;        // the largest sum alive at once: no plan can take less
};

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes);

}  // namespace cambium::compile
