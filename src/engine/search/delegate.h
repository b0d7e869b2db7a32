// Delegate: hands jobs to a child of another program that has the evaluators for them and stays
// warm over many. Refuses what the child could not be started for (NotFound, Unstartable) and its
// death (WorkerDied); the next job gets a new one. Used by workers.
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

  // What it answers to the line of job `id`, as it says it; waits as long as it takes.
  Result<std::string> answer(const std::string& line, std::int64_t id);

 private:
  std::vector<std::string> argv_;
  std::optional<Conversation> child_;
};

}  // namespace cambium::engine
