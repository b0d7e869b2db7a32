// Starting a child process: descriptors that close themselves, pipes, and the one way to exec. For
// process.h and conversation.h, which say what becomes of the child; of others, only a descriptor
// is needed.
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

// Away from 0 to 2, where it could land if this process runs with a standard stream closed: there
// the child's streams would overwrite it.
Descriptor above_standard(Descriptor low);

struct Pipe {
  Descriptor read, write;
};
bool open_pipe(Pipe& pipe);  // closed on exec

// Starts the child, which dies with the thread that starts it, in a process group of its own, with
// these as standard streams and with the limits on memory and processor time; or gives the errno of
// what prevented it.
int spawn(const std::vector<std::string>& argv, const ProcessLimits& limits, int input, int output,
          int errors, pid_t& child);

}  // namespace cambium
