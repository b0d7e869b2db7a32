// Trials on their way: some threads compile, one times, both in the order in which trials were
// submitted, and whoever submitted them fetches what became of each. What is compiled waits in a
// short line, so memory stays flat. A trial that is refused anywhere is a result as any other; one
// that ends this process while it is compiled was written down before.
// Called by the tuner, from one thread.
#pragma once

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
};

struct FinishedTrial {
  TrialInWork trial;
  Result<Measurement> result;
};

class Pipeline {
 public:
  // What it is given must live as long.
  Pipeline(const std::vector<Task>& tasks, Bench& bench, Memory& memory, int jobs, Cores& cores,
           Bell& bell);
  ~Pipeline();  // drops what is left and waits for what is in work
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void submit(std::vector<TrialInWork> trials);
  std::vector<FinishedTrial> finished();  // since the last call, in the order of submission
  bool is_idle();                         // nothing in work, and all that finished was fetched
  Status health();                        // what memory refused when builds began or ended
  void drop();                            // what is not being timed yet will not be

 private:
  struct Slot;
  void build_some();
  void time_some();
  Result<std::unique_ptr<Built>> build(const TrialInWork& trial);
  void note(const Status& done);

  const std::vector<Task>& tasks_;
  Bench& bench_;
  Memory& memory_;
  Cores& cores_;
  Bell& bell_;
  std::size_t most_built_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Slot>> slots_;  // in order; a slot leaves when it was timed
  std::vector<FinishedTrial> finished_;
  std::optional<Rejection> fault_;  // the first of memory
  bool ends_ = false;
  std::vector<std::thread> threads_;
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
