// Where the values between kernels stand in memory: values that are alive at the same time never
// overlap, others share. Values are placed one after the other, each in the tightest gap that those
// before it leave, in a few orders of which the best one counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cambium::compile {

inline constexpr std::int64_t kAlignment = 64;  // of everything that is placed, in bytes

constexpr std::int64_t aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// A value from the call that writes it to the last that reads it, both included: a kernel may write
// its output while it still reads its inputs.
struct Lifetime {
  std::int64_t bytes = 0;
  std::int64_t first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<std::int64_t> offsets;  // one per lifetime
  std::int64_t bytes = 0;             // all that the plan takes
  std::int64_t live_bytes = 0;        // the largest sum alive at once: no plan can take less
};

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes);

}  // namespace cambium::compile
