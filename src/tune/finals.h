// The last word on a task: its best candidates, compiled again and timed against each other. Called
// by the tuner when the trials are done.
#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "tune/cores.h"
#include "tune/history.h"
#include "tune/task.h"

namespace cambium::tune {

// The fastest, the default schedule and whatever won the last comparison; each once.
std::vector<Tried> finalists_of(const History& history, std::size_t count);

// When there is no time for that: the fastest and whatever won the last comparison, if that is
// another; otherwise none, since nothing contradicts the fastest.
std::vector<Tried> last_two_of(const History& history);

// Leaves out of their traces what has no effect, unless another program came of it. Those that
// were compared before have been tidied then.
void tidy(const Task& task, std::vector<Tried>& finalists, ThreadPool& pool, Cores& cores);

// One per finalist.
std::vector<Result<Measurement>> compare(const Task& task, const std::vector<Tried>& finalists,
                                         Bench& bench, ThreadPool& pool, Cores& cores);

}  // namespace cambium::tune
