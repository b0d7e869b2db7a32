// Trials on their way: some threads compile, one times, both in the order in which trials were
// submitted, and whoever submitted them fetches what became of each. What is compiled waits in a
// short line, so memory stays flat. A trial that is refused anywhere is a result as any other; one
// that ends this process while it is compiled was written down before, and one that hangs is left
// to itself. Called by the tuner, from one thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "tune/cores.h"
#include "tune/generator.h"
#include "tune/task.h"

namespace cambium::tune {

// Wakes a thread that waits for news of several others.
class Bell {
 public:
  void ring();
  void wait(double seconds);  // until somebody rings or rang since the last wait

 private:
  std::mutex mutex_;
  std::condition_variable rang_;
  bool has_rung_ = false;
};

struct TrialInWork {
  std::size_t task = 0;     // position
  std::int64_t number = 0;  // in its task
  Individual individual;
  bool is_alone = false;  // a process died while it was compiled: nothing else is beside it now
};

struct FinishedTrial {
  TrialInWork trial;
  Result<Measurement> result;
};

struct PipelineOptions {
  int jobs = 1;
  double build_seconds = 120;  // after which a build counts as hanging, and its trial as refused
  double grace_seconds = 5;    // for builds in work that nobody waits for any more
  const std::atomic<bool>* stop = nullptr;  // set: soon everything will be dropped
};

class Pipeline {
 public:
  // What it is given must live as long. `abandoned` is called by whoever calls the pipeline, when a
  // build hangs and is left to itself: from then on the bench must live as long as the process.
  Pipeline(const std::vector<Task>& tasks, Bench& bench, Memory& memory, const PipelineOptions& how,
           std::shared_ptr<Cores> cores, Bell& bell, std::function<void()> abandoned = {});
  ~Pipeline();  // drops what is left and waits for what is in work, but not for what hangs
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void submit(std::vector<TrialInWork> trials);
  std::vector<FinishedTrial> finished();  // since the last call, in the order of submission
  bool is_idle();                         // nothing in work, and all that finished was fetched
  Status health();                        // what memory refused when builds began or ended
  void drop();                            // what is not being timed yet will not be
  // To be called now and then: refuses builds that hang, and forgets those that were dropped.
  // What is forgotten so stays begun in memory.
  void leave_hanging();

 private:
  struct Slot;
  struct Shared;
  static void build_some(const std::shared_ptr<Shared>& shared);
  static void time_some(const std::shared_ptr<Shared>& shared);
  void abandon(Slot& slot);
  void start_builder();

  PipelineOptions how_;
  std::function<void()> abandoned_;
  std::shared_ptr<Shared> shared_;  // with threads that are left to themselves
  std::vector<std::thread> builders_;
  std::thread timer_;
};

// One thread that does one thing at a time for another, and rings when it is done.
class Background {
 public:
  explicit Background(Bell& bell);
  ~Background();  // waits for what is in work
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void start(std::function<void()> work);  // only when it is idle
  bool is_idle();

 private:
  void run();

  Bell& bell_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace cambium::tune
