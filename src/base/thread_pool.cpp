#include "base/thread_pool.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/check.h"

namespace cambium {
namespace {

// One parallel_for in progress. It lives on the caller's stack; `helpers` counts the threads that
// still hold it, and the caller leaves only when there are none.
struct Loop {
  std::int64_t n = 0;
  std::int64_t grain = 1;
  const std::function<void(std::int64_t, std::int64_t, int)>* body = nullptr;
  std::int64_t next = 0;  // first index not yet taken; under the pool's mutex, as all below
  int helpers = 0;
  std::int64_t failed = -1;  // where the first piece that threw begins
  std::exception_ptr error = nullptr;
};

// Which pool this thread belongs to, and its number there. A caller from outside is worker 0 of its
// own call; it never helps with those of others.
struct Membership {
  const void* pool = nullptr;
  int worker = 0;
};
thread_local Membership membership;

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work;  // a loop came, or the end
  std::condition_variable left;  // a helper let go of a loop
  std::deque<Loop*> loops;       // those with pieces not yet taken
  bool stop = false;
  std::vector<std::thread> workers;

  // Takes pieces until none is left. Called and returns with the mutex held.
  void take_pieces(Loop& loop, std::unique_lock<std::mutex>& lock) {
    const int worker = membership.pool == this ? membership.worker : 0;
    while (loop.next < loop.n) {
      const std::int64_t begin = loop.next;
      const std::int64_t end = loop.n - begin > loop.grain ? begin + loop.grain : loop.n;
      loop.next = end;
      if (end == loop.n) std::erase(loops, &loop);
      lock.unlock();
      std::exception_ptr error;
      try {
        (*loop.body)(begin, end, worker);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error && (loop.failed < 0 || begin < loop.failed)) {
        loop.failed = begin;
        loop.error = error;
      }
    }
  }

  void serve(int worker) {
    membership = {this, worker};
    std::unique_lock lock(mutex);
    for (;;) {
      work.wait(lock, [&] { return stop || !loops.empty(); });
      if (loops.empty()) return;
      Loop& loop = *loops.back();  // the innermost: what others wait for ends first
      ++loop.helpers;
      take_pieces(loop, lock);
      --loop.helpers;
      left.notify_all();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  CAMBIUM_CHECK(threads >= 1, "a pool without threads");
  for (int i = 1; i < threads; ++i) {
    state_->workers.emplace_back([state = state_.get(), i] { state->serve(i); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->work.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const {
  return static_cast<int>(state_->workers.size()) + 1;
}

void ThreadPool::parallel_for(std::int64_t n, std::int64_t grain,
                              const std::function<void(std::int64_t, std::int64_t)>& body) {
  parallel_for_workers(n, grain,
                       [&body](std::int64_t begin, std::int64_t end, int) { body(begin, end); });
}

void ThreadPool::parallel_for_workers(
    std::int64_t n, std::int64_t grain,
    const std::function<void(std::int64_t, std::int64_t, int)>& body) {
  CAMBIUM_CHECK(n >= 0 && grain >= 1, "a loop of negative length or without a grain");
  if (n == 0) return;
  Loop loop{.n = n, .grain = grain, .body = &body};
  std::unique_lock lock(state_->mutex);
  if (n > grain && !state_->workers.empty()) {
    state_->loops.push_back(&loop);
    state_->work.notify_all();
  }
  state_->take_pieces(loop, lock);
  state_->left.wait(lock, [&] { return loop.helpers == 0; });
  lock.unlock();
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace cambium
