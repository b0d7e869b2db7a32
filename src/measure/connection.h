// The runner's process, seen from the parent. It is started with exec when needed, gets one request
// at a time, and is killed if it does not answer. Refuses RunnerMissing, RunnerFailed and
// KernelTimeout.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

#include "base/result.h"
#include "measure/protocol.h"

namespace cambium::measure {

class Connection {
 public:
  Connection(std::string executable, std::int64_t memory_bytes)
      : executable_(std::move(executable)), memory_bytes_(memory_bytes) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { stop(); }

  Status start();  // does nothing if it runs; starts another if it was killed
  void stop();
  pid_t process() const { return process_; }  // -1: none
  int memory() const { return memory_; }      // the memory file that both processes map

  // Sends the request and waits for the reply. Refuses RunnerFailed if the process died without a
  // reply. After any refusal, and after a reply of Crashed, the process is gone.
  Result<Reply> ask(const Request& request, double seconds);

 private:
  Status spawn(int control, int memory);
  Result<Reply> receive(double seconds);
  std::string how_it_died();

  std::string executable_;
  std::int64_t memory_bytes_;
  pid_t process_ = -1;
  int control_ = -1;
  int memory_ = -1;
};

}  // namespace cambium::measure
