// A compiler that never comes back: the search goes on without it, and ends when it should.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tune/testing/fake_search.h"

namespace cambium::tune {
namespace {

// What hanging builds use once their test is over. Whoever abandons a build keeps its bench for as
// long as the process lives.
Search& kept_search() {
  static std::vector<std::unique_ptr<Search>> all;
  all.push_back(std::make_unique<Search>());
  return *all.back();
}

// Builds that stand still until the test is over. The clock is that of the bench: it moves where a
// test moves it, and while a build hangs.
class HangingSearch : public testing::Test {
 protected:
  HangingSearch() {
    // Called before anything else is compiled in place of what hung.
    search_.hooks.abandoned = [this] {
      const std::scoped_lock lock(mutex_);
      ++abandoned_;
    };
  }
  ~HangingSearch() override {
    {
      const std::scoped_lock lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    while (hanging_ > 0) std::this_thread::yield();
  }
  // The time of any limit passes until somebody gives up waiting. No more passes then, so that what
  // is compiled next has all of its time, however slow this machine is.
  void hang() {
    {
      std::unique_lock lock(mutex_);
      const int before = abandoned_;
      while (!is_over_) {
        if (abandoned_ == before) search_.bench.advance(kLong);
        changed_.wait_for(lock, std::chrono::milliseconds(1));
      }
    }
    --hanging_;
  }
  // In the builds of these numbers, after this.
  void hang_in(
      std::set<int> numbers, const std::function<void()>& before = [] {}) {
    search_.bench.build_fault = [this, numbers, before](const Task&, const schedule::Trace&) {
      if (numbers.contains(search_.bench.builds)) {
        ++hanging_;
        before();
        hang();
      }
      return std::optional<Rejection>();
    };
  }

  static constexpr double kLong = 1000;  // longer than a build has, in seconds
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  Search& search_ = kept_search();
  std::atomic<int> hanging_ = 0;
  int abandoned_ = 0;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
};

TEST_F(HangingSearch, RefusesWhatCompilesForTooLongAndGoesOn) {
  hang_in({1, 5, 9});
  // Timing wants all cores: those of builds that hang are given back.
  search_.options.machine.cores = 2;
  search_.tasks[0].threads = 2;
  const TuneResult result = search_.done();
  EXPECT_EQ(result.tasks[0].trials, 24);
  EXPECT_EQ(result.refusals.at("CodegenFailed"), 3);
  EXPECT_EQ(abandoned_, 3);
  EXPECT_TRUE(result.tasks[0].was_compared);
  EXPECT_TRUE(search_.memory.begun.empty()) << "what is refused is not begun any more";
}

TEST_F(HangingSearch, EndsWhenAskedWithTheBestSoFar) {
  hang_in({7});
  search_.options.build_seconds = kNoLimit;
  std::atomic<bool> stop = false;
  search_.hooks.stop = &stop;
  search_.bench.during_time = [&] {
    if (search_.bench.times < 6) return;
    while (hanging_ == 0) std::this_thread::yield();
    stop = true;
  };
  const TuneResult result = search_.done();
  EXPECT_TRUE(result.was_stopped);
  EXPECT_EQ(result.tasks[0].trials, 6);
  EXPECT_GT(result.tasks[0].best_time.value, 0);
  EXPECT_EQ(abandoned_, 1);
  EXPECT_EQ(search_.memory.begun.size(), 1U) << "as if the process had been killed";
  // And is tried once more, as such; it stands still in the seventh build only.
  search_.hooks.stop = nullptr;
  search_.bench.during_time = nullptr;
  EXPECT_EQ(search_.memory.revive(), 1U);
  const TuneResult again = search_.done();
  EXPECT_EQ(again.tasks[0].trials, 24);
  EXPECT_EQ(again.tasks[0].refused, 0);
}

// A process that was killed leaves what it was compiling as begun.
void kill_in_build(Search& search, int number) {
  search.bench.build_fault = [&search, number](const Task&, const schedule::Trace&) {
    if (search.bench.builds == number) search.memory.kill();
    return std::optional<Rejection>();
  };
  EXPECT_FALSE(search.run().ok());
  search.bench.build_fault = nullptr;
  EXPECT_EQ(search.memory.revive(), 1U);
}

// Each of the two takes more than half of the time that a build has.
TEST_F(HangingSearch, GivesABuildItsTimeAfterItWasRehearsed) {
  kill_in_build(search_, 3);
  search_.options.build_seconds = 3.6;
  // Time passes, and the search, which alone looks at the clock now, sees that before this ends.
  const auto take = [&](double seconds) {
    search_.bench.advance(seconds);
    const int before = search_.bench.looks;
    while (search_.bench.looks < before + 2) std::this_thread::yield();
  };
  std::string begun;
  search_.bench.rehearsal_fault = [&](const Task&, const schedule::Trace& trace) {
    begun = schedule::to_text(trace);
    take(2);
    return std::optional<Rejection>();
  };
  bool is_built = false;
  search_.bench.build_fault = [&](const Task&, const schedule::Trace& trace) {
    if (!is_built && schedule::to_text(trace) == begun) {
      is_built = true;
      take(2);
    }
    return std::optional<Rejection>();
  };
  const TuneResult result = search_.done();
  EXPECT_EQ(search_.bench.rehearsals, 1);
  EXPECT_TRUE(is_built);
  EXPECT_EQ(result.tasks[0].refused, 0);
  EXPECT_EQ(abandoned_, 0);
}

// Whoever is stopped together with its rehearsal has learned nothing, and the next run asks again.
TEST_F(HangingSearch, LeavesWhatItRehearsedBegunWhenItIsAskedToStop) {
  kill_in_build(search_, 3);
  std::atomic<bool> stop = false;
  search_.hooks.stop = &stop;
  int builds = 0;
  search_.bench.rehearsal_fault = [&](const Task&, const schedule::Trace&) {
    builds = search_.bench.builds;
    stop = true;
    return std::optional<Rejection>();
  };
  EXPECT_TRUE(search_.done().was_stopped);
  EXPECT_EQ(search_.bench.rehearsals, 1);
  EXPECT_EQ(search_.bench.builds, builds) << "it was compiled where it may be deadly";
  EXPECT_EQ(search_.memory.begun.size(), 1U);
  search_.hooks.stop = nullptr;
  search_.bench.rehearsal_fault = nullptr;
  search_.memory.revive();
  const TuneResult again = search_.done();
  EXPECT_EQ(search_.bench.rehearsals, 2);
  EXPECT_EQ(again.tasks[0].trials, 24);
  EXPECT_EQ(again.tasks[0].refused, 0);
}

TEST_F(HangingSearch, EndsAtTheDeadline) {
  hang_in({4}, [this] {
    while (search_.bench.times < 3) std::this_thread::yield();
  });
  search_.options.build_seconds = kNoLimit;
  search_.options.seconds = 1;
  const TuneResult result = search_.done();
  EXPECT_TRUE(result.was_stopped);
  EXPECT_EQ(result.tasks[0].trials, 3);
  EXPECT_EQ(abandoned_, 1);
}

TEST_F(HangingSearch, EndsWhenMemoryFails) {
  hang_in({4});
  search_.options.build_seconds = kNoLimit;
  search_.memory.dies_after = 2;
  const auto result = search_.run();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().reason(), Reason::DatabaseFailed);
}

}  // namespace
}  // namespace cambium::tune
