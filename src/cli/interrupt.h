// Ctrl-C, and SIGTERM as whoever ends a session sends it: the first one asks to stop cleanly, the
// second ends the program the hard way. Either way the exit code says so, as for a program that a
// signal killed: 130 after Ctrl-C, 143 after SIGTERM.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace cambium::cli {

// Set by the first of them from now on.
const std::atomic<bool>& stops_on_interrupt();

// What a command exits with that ended with `code`: 128 + the signal if it did what it could and
// was asked to stop. A failure stays what it is.
int code_after_interrupt(int code);

// For work that cannot be asked to stop: as long as it lives, the first of them takes the folder
// away and ends the program.
class EndOnInterrupt {
 public:
  explicit EndOnInterrupt(std::string folder);
  ~EndOnInterrupt();
  EndOnInterrupt(const EndOnInterrupt&) = delete;
  EndOnInterrupt& operator=(const EndOnInterrupt&) = delete;

 private:
  std::atomic<bool> is_over_{false};
  std::thread watcher_;
};

}  // namespace cambium::cli
