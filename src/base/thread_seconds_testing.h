// Processor seconds of this thread, independent of other work on the machine. For tests of how time
// grows with the size of the input.
#pragma once

#include <algorithm>

#include <time.h>

namespace cambium {

inline double thread_seconds() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The shortest of three calls.
template <class F>
double seconds_of(const F& f) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double before = thread_seconds();
    f();
    best = std::min(best, thread_seconds() - before);
  }
  return best;
}

}  // namespace cambium
