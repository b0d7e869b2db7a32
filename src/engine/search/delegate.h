// Delegate: gives jobs to a child process of another program that has their evaluators and stays
// warm between jobs. Refuses a child that cannot be started (NotFound, Unstartable) or that dies
// (WorkerDied); the next job gets a new child. Used by workers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/conversation.h"
#include "base/result.h"

namespace cambium::engine {

class Delegate {
 public:
  explicit Delegate(std::vector<std::string> argv) : argv_(std::move(argv)) {}

  // The line that answers the line of job `id`; waits as long as it takes.
  Result<std::string> answer(const std::string& line, std::int64_t id);

 private:
  std::vector<std::string> argv_;
  std::optional<Conversation> child_;
};

}  // namespace cambium::engine
