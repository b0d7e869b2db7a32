// Decides the result of a task: compiles its best candidates again and times them against each
// other. Called by the tuner after the trials.
#pragma once

#include <vector>

#include "base/thread_pool.h"
#include "tune/cores.h"
#include "tune/history.h"
#include "tune/task.h"

namespace cambium::tune {

// The fastest candidates, the default schedule and the winner of the last comparison; each once.
std::vector<Tried> finalists_of(const History& history, std::size_t count);

// If there is no time for all: the fastest and the winner of the last comparison. None if they are
// the same, because then nothing contradicts the fastest.
std::vector<Tried> last_two_of(const History& history);

// Removes steps without effect from their traces, if the program stays the same. Finalists that
// were compared before are already tidy.
void tidy(const Task& task, std::vector<Tried>& finalists, ThreadPool& pool, Cores& cores);

// One result per finalist.
std::vector<Result<Measurement>> compare(const Task& task, const std::vector<Tried>& finalists,
                                         Bench& bench, ThreadPool& pool, Cores& cores);

}  // namespace cambium::tune
