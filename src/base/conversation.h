// A child process that is told lines and answers lines, as long as it lives: workers that keep data
// warm over many jobs. Its death is a value, and so is its silence: whoever listens says how long.
// Refuses only what could not be started (NotFound, Unstartable). Used by the pool of workers.
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
  // In a process group of its own; of the limits, memory and processor time count.
  static Result<Conversation> start(const std::vector<std::string>& argv,
                                    const ProcessLimits& limits);
  Conversation(Conversation&&) noexcept;
  Conversation& operator=(Conversation&&) noexcept;
  ~Conversation();  // kills it

  // Adds the end of the line. False: it will not be read, since the child is dead or deaf.
  bool say(std::string_view line);
  // The next whole line that has come, without waiting and without its end.
  std::optional<std::string> hear();
  // Readable when there may be something to hear, or the child is dead.
  int descriptor() const;
  bool is_over() const;  // it closed its output, and all that came was heard

  // Kills what is left of it: "killed by SIGSEGV; it said last: ...". Asked again, it says the
  // same.
  std::string end();

 private:
  struct State;
  explicit Conversation(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium
