// A child process that reads lines and answers with lines as long as it lives, such as a worker
// that keeps its data loaded over many jobs. Its death is reported as a value. The caller decides
// how long to wait for an answer. Refuses only if the process cannot be started (NotFound,
// Unstartable). Used by the pool of workers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/result.h"

namespace cambium {

class Conversation {
 public:
  // Starts the child in its own process group. Only its limits on memory and processor time apply.
  static Result<Conversation> start(const std::vector<std::string>& argv,
                                    const ProcessLimits& limits);
  Conversation(Conversation&&) noexcept;
  Conversation& operator=(Conversation&&) noexcept;
  ~Conversation();  // kills it

  // Adds the end of the line. False: the child is dead or no longer reads.
  bool say(std::string_view line);
  // The next whole line received so far, without its end. Does not wait.
  std::optional<std::string> hear();
  // Becomes readable when the child may have written something or died.
  int descriptor() const;
  bool is_over() const;  // the child closed its output, and every line was taken

  // Kills the child if it still runs, and says how it ended: "killed by SIGSEGV; it said last:
  // ...". Later calls give the same answer.
  std::string end();

 private:
  struct State;
  explicit Conversation(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium
