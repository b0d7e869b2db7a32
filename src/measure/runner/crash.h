// Handles the crash of a kernel in the runner: the signal handler finds the buffer at the faulting
// address, sends one reply and ends the process. Nothing here allocates or locks.
#pragma once

#include <cstdint>

namespace cambium::measure {

// Addresses of a buffer and of the guards around it.
struct GuardedRange {
  std::int64_t job = 0, buffer = 0;
  std::uint64_t guard_begin = 0, begin = 0, end = 0, guard_end = 0;
};

void install_crash_handler();
void forget_ranges();
void watch_range(const GuardedRange& range);  // ranges after the thousandth are not watched

}  // namespace cambium::measure
