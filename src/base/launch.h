// Starts a child process: descriptors that close themselves, pipes, and the only call of exec. Used
// by process.h and conversation.h, which watch the child. Other files use only Descriptor.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

#include "base/process.h"

namespace cambium {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return number_; }
  void reset() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

// Moves a descriptor away from 0 to 2. It can get such a number if this process runs with a
// standard stream closed, and the child's streams would overwrite it there.
Descriptor above_standard(Descriptor low);

struct Pipe {
  Descriptor read, write;
};
bool open_pipe(Pipe& pipe);  // closed on exec

// Starts the child in its own process group with these standard streams and with the limits on
// memory and processor time. The child dies with the thread that starts it. On failure, gives the
// errno.
int spawn(const std::vector<std::string>& argv, const ProcessLimits& limits, int input, int output,
          int errors, pid_t& child);

}  // namespace cambium
