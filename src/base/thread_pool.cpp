#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include "base/check.h"

namespace cambium {
namespace {

// How long a thread watches for work, or for the last helper, before it sleeps: waking a thread
// takes a virtual machine up to 0.1 ms, and the loops of a network follow each other within less.
constexpr std::chrono::microseconds kWatch{200};

// One parallel_for in progress. It lives on the caller's stack; `helpers` counts the threads that
// still hold it, and the caller leaves only when no factor is given.
struct Loop {
  std::int64_t n = 0;
  std::int64_t grain = 1;
  const std::function<void(std::int64_t, std::int64_t, int)>* body = nullptr;
  std::atomic<std::int64_t> next = 0;  // the first index not yet taken; beyond n when all are
  std::atomic<int> helpers = 0;        // grows under the pool's mutex only
  int processor = -1;                  // of the caller
  std::int64_t failed = -1;            // where the first piece that threw begins; under the mutex
  std::exception_ptr error = nullptr;
};

// Which pool this thread belongs to, and its number there. A caller from outside is worker 0 of its
// own call; it never helps with those of others.
struct Membership {
  const void* pool = nullptr;
  int worker = 0;
};
thread_local Membership membership;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Whether it came true within kWatch. Others get the processor now and then: where there are more
// threads than cores, what is waited for may need this one.
template <class Condition>
bool watch(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kWatch;
  do {
    for (int i = 0; i < 200; ++i) {
      if (condition()) return true;
      relax();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

int this_processor() {
#if defined(__linux__)
  return ::sched_getcpu();
#else
  return -1;
#endif
}

// Leaves a processor that the caller of a loop needs, if it may run on another. A thread that is
// woken for a few milliseconds at a time, as bursts of kernels do, is often put beside its waker
// and sleeps again before the system moves it; then both share one processor all the time.
void step_aside([[maybe_unused]] int processor) {
#if defined(__linux__)
  cpu_set_t allowed;
  if (processor < 0 || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (!CPU_ISSET(processor, &allowed) || CPU_COUNT(&allowed) < 2) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (::sched_setaffinity(0, sizeof others, &others) != 0) return;
  (void)::sched_setaffinity(0, sizeof allowed, &allowed);  // it stays where it is now
#endif
}

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work;        // a loop came, or the end
  std::condition_variable left;        // a helper let go of a loop
  std::deque<Loop*> loops;             // those that a helper may still join
  std::atomic<std::uint64_t> news{0};  // counts what `work` tells
  bool stop = false;
  std::vector<std::thread> workers;

  void take_pieces(Loop& loop) {
    const int worker = membership.pool == this ? membership.worker : 0;
    for (;;) {
      const std::int64_t begin = loop.next.fetch_add(loop.grain, std::memory_order_relaxed);
      if (begin >= loop.n) return;
      const std::int64_t end = loop.n - begin > loop.grain ? begin + loop.grain : loop.n;
      try {
        (*loop.body)(begin, end, worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (loop.failed < 0 || begin < loop.failed) {
          loop.failed = begin;
          loop.error = std::current_exception();
        }
      }
    }
  }

  void tell() {
    news.fetch_add(1, std::memory_order_release);
    work.notify_all();
  }

  void serve(int worker) {
    membership = {this, worker};
    std::unique_lock lock(mutex);
    for (;;) {
      if (loops.empty() && !stop) {
        const std::uint64_t seen = news.load(std::memory_order_acquire);
        lock.unlock();
        watch([&] { return news.load(std::memory_order_acquire) != seen; });
        lock.lock();
      }
      work.wait(lock, [&] { return stop || !loops.empty(); });
      if (loops.empty()) return;
      Loop& loop = *loops.back();  // the innermost: what others wait for ends first
      ++loop.helpers;
      const int needed = loop.processor;
      lock.unlock();
      if (this_processor() == needed) step_aside(needed);
      take_pieces(loop);
      lock.lock();
      std::erase(loops, &loop);  // nothing is left to take
      --loop.helpers;            // from here on its caller may be gone
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
  state_->tell();
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
  // Each thread counts once past the end: `next` must not overflow.
  CAMBIUM_CHECK(n <= std::numeric_limits<std::int64_t>::max() / (threads() + 1), "too long a loop");
  Loop loop;
  loop.n = n;
  loop.grain = std::min(grain, n);
  loop.body = &body;
  loop.processor = this_processor();
  const bool is_shared = n > grain && !state_->workers.empty();
  if (is_shared) {
    {
      const std::lock_guard lock(state_->mutex);
      state_->loops.push_back(&loop);
    }
    state_->tell();
  }
  state_->take_pieces(loop);
  if (is_shared) {
    watch([&] { return loop.helpers.load(std::memory_order_acquire) == 0; });
    std::unique_lock lock(state_->mutex);
    std::erase(state_->loops, &loop);
    state_->left.wait(lock, [&] { return loop.helpers == 0; });
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace cambium
