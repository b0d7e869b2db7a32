// Runs trials: some threads compile and one times, both in the order of submission, and the
// submitter fetches the results. The queue of compiled candidates is short, so memory stays flat. A
// refusal at any stage is a normal result. A candidate is recorded before it is compiled, in case
// it ends this process. A compilation that hangs is abandoned. Called by the tuner, from one
// thread.
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

// Wakes a thread that waits for events of several others.
class Bell {
 public:
  void ring();
  void wait(double seconds);  // until somebody rings, or has rung since the last wait

 private:
  std::mutex mutex_;
  std::condition_variable rang_;
  bool has_rung_ = false;
};

struct TrialInWork {
  std::size_t task = 0;     // number of its task
  std::int64_t number = 0;  // of the trial in its task
  Individual individual;
  bool is_alone = false;  // a process died while compiling it: compile nothing beside it
};

struct FinishedTrial {
  TrialInWork trial;
  Result<Measurement> result;
};

// Seconds are those of the bench's clock.
struct PipelineOptions {
  int jobs = 1;
  double build_seconds = 120;               // after which a build counts as hanging and is refused
  double grace_seconds = 5;                 // for current builds that nobody waits for any more
  const std::atomic<bool>* stop = nullptr;  // set: everything will be dropped soon
};

class Pipeline {
 public:
  // The arguments must outlive the pipeline. It calls `abandoned`, from a thread that calls the
  // pipeline, when it abandons a hanging build. From then on the bench must live as long as the
  // process.
  Pipeline(const std::vector<Task>& tasks, Bench& bench, Memory& memory, const PipelineOptions& how,
           std::shared_ptr<Cores> cores, Bell& bell, std::function<void()> abandoned = {});
  ~Pipeline();  // drops waiting trials and waits for current ones, but not for hanging builds
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void submit(std::vector<TrialInWork> trials);
  std::vector<FinishedTrial> finished();  // since the last call, in the order of submission
  bool is_idle();                         // no trial is in progress, and all results were fetched
  Status health();                        // a refusal of the memory when a build began or ended
  void drop();                            // drops every trial that is not being timed yet
  // Must be called from time to time: refuses builds that hang, and forgets builds that were
  // dropped. Forgotten builds stay begun in the memory.
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
  std::shared_ptr<Shared> shared_;  // shared with abandoned threads
  std::vector<std::thread> builders_;
  std::thread timer_;
};

// A thread that does one piece of work at a time for another thread, and rings when it is done.
class Background {
 public:
  explicit Background(Bell& bell);
  ~Background();  // waits for the current work
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void start(std::function<void()> work);  // call it only when idle
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
