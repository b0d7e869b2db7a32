#include "engine/search/delegate.h"

#include <utility>

#include <nlohmann/json.hpp>
#include <poll.h>

#include "base/json.h"

namespace cambium::engine {
namespace {

// Talk strays to standard output too.
bool is_answer(const std::string& line, std::int64_t id) {
  const auto json = parse_json(line);
  return json.ok() && json->is_object() && json->contains("state") && json->contains("id") &&
         (*json)["id"] == id;
}

}  // namespace

Result<std::string> Delegate::answer(const std::string& line, std::int64_t id) {
  // One that died with nothing to do is not this job's fault.
  if (child_ && !child_->say(line)) child_.reset();
  if (!child_) {
    CAMBIUM_TRY(Conversation started, Conversation::start(argv_, {}));
    child_.emplace(std::move(started));
    (void)child_->say(line);
  }
  for (;;) {
    while (std::optional<std::string> heard = child_->hear()) {
      if (is_answer(*heard, id)) return *std::move(heard);
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
