#include "base/thread_pool.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(ThreadPool, EveryIndexIsVisitedOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::int64_t n : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
      pool.parallel_for(n, 3, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      for (const auto& count : visits) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, PiecesDoNotDependOnTheNumberOfThreads) {
  const auto pieces_with = [](int threads) {
    ThreadPool pool(threads);
    std::vector<std::int64_t> length(7, 0);
    pool.parallel_for(20, 3, [&](std::int64_t begin, std::int64_t end) {
      length[static_cast<std::size_t>(begin / 3)] = end - begin;
    });
    return length;
  };
  EXPECT_EQ(pieces_with(1), (std::vector<std::int64_t>{3, 3, 3, 3, 3, 3, 2}));
  EXPECT_EQ(pieces_with(1), pieces_with(4));
}

TEST(ThreadPool, NestedLoopsFinish) {
  ThreadPool pool(3);
  std::atomic<int> count = 0;
  pool.parallel_for(8, 1, [&](std::int64_t, std::int64_t) {
    pool.parallel_for(8, 1, [&](std::int64_t, std::int64_t) {
      pool.parallel_for(4, 1, [&](std::int64_t, std::int64_t) { ++count; });
    });
  });
  EXPECT_EQ(count, 8 * 8 * 4);
}

TEST(ThreadPool, SeveralThreadsMayShareIt) {
  ThreadPool pool(2);
  std::atomic<int> count = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        pool.parallel_for(10, 1, [&](std::int64_t, std::int64_t) { ++count; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(count, 4 * 50 * 10);
}

TEST(ThreadPool, TheFirstPieceThatThrowsIsReportedAndTheRestRuns) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran = 0;
    std::string message;
    try {
      pool.parallel_for(10, 1, [&](std::int64_t begin, std::int64_t) {
        ++ran;
        if (begin >= 4) throw std::runtime_error(std::to_string(begin));
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "4");
    EXPECT_EQ(ran, 10);
  }
}

TEST(ThreadPool, NoTwoPiecesRunAtOnceWithTheSameWorkerNumber) {
  ThreadPool pool(3);
  const auto run = [&pool](int depth, const auto& self) -> void {
    std::vector<std::atomic<int>> busy(3);
    pool.parallel_for_workers(40, 1, [&](std::int64_t, std::int64_t, int worker) {
      ASSERT_GE(worker, 0);
      ASSERT_LT(worker, 3);
      EXPECT_EQ(busy[static_cast<std::size_t>(worker)]++, 0);
      std::this_thread::yield();
      if (depth > 0) self(depth - 1, self);  // a worker of the pool calls, with its own number
      --busy[static_cast<std::size_t>(worker)];
    });
  };
  std::thread other([&] { run(1, run); });  // two callers from outside are both worker 0
  run(1, run);
  other.join();
}

TEST(ThreadPool, UsesMoreThanOneThread) {
  ThreadPool pool(2);
  std::atomic<int> arrived = 0;
  // Each of the two pieces waits for the other: one thread alone would never end.
  pool.parallel_for(2, 1, [&](std::int64_t, std::int64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

}  // namespace
}  // namespace cambium
