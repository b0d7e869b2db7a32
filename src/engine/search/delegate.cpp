#include "engine/search/delegate.h"

#include <utility>

#include <poll.h>

#include "engine/search/job_lines.h"

namespace cambium::engine {
Result<std::string> Delegate::answer(const std::string& line, std::int64_t id) {
  // If the child died without a job, this job is not to blame.
  if (child_ && !child_->say(line)) child_.reset();
  if (!child_) {
    CAMBIUM_TRY(Conversation started, Conversation::start(argv_, {}));
    child_.emplace(std::move(started));
    (void)child_->say(line);
  }
  for (;;) {
    while (std::optional<std::string> heard = child_->hear()) {
      if (is_result_of(*heard, id)) return *std::move(heard);
    }
    if (child_->is_over()) {
      const std::string how = child_->end();
      child_.reset();
      return Rejection(Reason::WorkerDied, how);
    }
    pollfd source{child_->descriptor(), POLLIN, 0};
    (void)::poll(&source, 1, -1);
  }
}

}  // namespace cambium::engine
