// Processor seconds of this thread; other programs on the machine do not count.
#pragma once

#include <ctime>

namespace cambium::bench {

class Stopwatch {
 public:
  Stopwatch() : begin_(now()) {}
  double seconds() const { return now() - begin_; }

 private:
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  double begin_;
};

}  // namespace cambium::bench
