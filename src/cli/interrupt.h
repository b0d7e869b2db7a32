// Ctrl-C and SIGTERM. The first signal asks the command to stop cleanly, the second ends the
// program at once. The exit code then follows the convention of shells: 130 after Ctrl-C, 143 after
// SIGTERM.
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace cambium::cli {

// A flag that the first signal sets. Installs the signal handlers.
const std::atomic<bool>& stops_on_interrupt();

// The exit code of a command that ended with `code`: 128 + signal if it succeeded after it was
// asked to stop. A failure keeps its code.
int code_after_interrupt(int code);

// For work that cannot stop cleanly: while this object lives, the first signal removes the folder
// and ends the program.
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
