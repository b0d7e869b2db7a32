#include "tune/cores.h"

#include <algorithm>

namespace cambium::tune {

Cores::Hold::Hold(Cores& cores, int wanted, bool is_timing)
    : cores_(cores), held_(std::clamp(wanted, 1, cores.count_)) {
  std::unique_lock lock(cores_.mutex_);
  if (is_timing) ++cores_.timers_waiting_;
  cores_.changed_.wait(
      lock, [&] { return cores_.free_ >= held_ && (is_timing || cores_.timers_waiting_ == 0); });
  if (is_timing) --cores_.timers_waiting_;
  cores_.free_ -= held_;
  lock.unlock();
  cores_.changed_.notify_all();
}

Cores::Hold::~Hold() {
  {
    const std::scoped_lock lock(cores_.mutex_);
    cores_.free_ += held_;
  }
  cores_.changed_.notify_all();
}

}  // namespace cambium::tune
