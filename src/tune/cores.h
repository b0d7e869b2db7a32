// Shares the cores of this machine among the threads that search, the threads that compile and the
// thread that times. Timing has priority and gets as many cores as the candidate has threads, so
// other work does not slow it. Called by the pipeline and the generator.
#pragma once

#include <condition_variable>
#include <mutex>

namespace cambium::tune {

class Cores {
 public:
  explicit Cores(int count) : free_(count), count_(count) {}

  // A core for one piece of work. Waits while all are taken, or while timing waits for cores.
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
  // Cores for timing a candidate with this many threads.
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
