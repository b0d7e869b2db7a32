// Who may compute now: the cores of this machine, shared out among threads that search, threads
// that compile and the one that times. Timing comes first and gets as many cores as the candidate
// has threads, so that what else runs does not slow it. Called by the pipeline and the generator.
#pragma once

#include <condition_variable>
#include <mutex>

namespace cambium::tune {

class Cores {
 public:
  explicit Cores(int count) : free_(count), count_(count) {}

  // For one piece of work; waits while all are taken, or somebody waits to time.
  class Hold {
   public:
    explicit Hold(Cores& cores) : Hold(cores, 1, false) {}
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   protected:
    Hold(Cores& cores, int wanted, bool is_timing);

   private:
    Cores& cores_;
    int held_;
  };
  // For timing something of so many threads.
  class Timing : public Hold {
   public:
    Timing(Cores& cores, int threads) : Hold(cores, threads, true) {}
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_;
  int count_;
  int timers_waiting_ = 0;
};

}  // namespace cambium::tune
