// A fixed number of threads that share loops. There is no global pool: callers pass it down, and
// its size comes from the thread budget of the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace cambium {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // at least 1; the calling thread counts as one of them
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Calls body(begin, end) for [0, grain), [grain, 2 grain), ... up to n, each piece once, and
  // returns when all are done. The pieces depend on n and grain only, never on the threads, so
  // that sums per piece are reproducible. The caller works too, so calling it from inside a body
  // cannot deadlock. If bodies throw, the rest still runs and the exception of the first piece
  // (in order, not in time) comes out here.
  void parallel_for(std::int64_t n, std::int64_t grain,
                    const std::function<void(std::int64_t begin, std::int64_t end)>& body);
  // The same, but the body also gets the number of the worker, 0 .. threads() - 1. No two pieces of
  // one call run at the same time with the same number, so each worker may have its own memory.
  void parallel_for_workers(
      std::int64_t n, std::int64_t grain,
      const std::function<void(std::int64_t begin, std::int64_t end, int worker)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cambium
