// Progress on standard error: a bar that redraws itself on a terminal, otherwise a plain line every
// few seconds. Shows the remaining time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cambium::cli {

class ProgressBar {
 public:
  explicit ProgressBar(std::string what);  // "images"
  ~ProgressBar();                          // clears the bar
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::int64_t done, std::int64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

// "######.................."; only dots if there is nothing to do.
std::string bar_text(std::int64_t done, std::int64_t total);

// "4500 of 10000 images, 45 %, 12 s left"; without the time until the first item is done.
std::string progress_text(const std::string& what, std::int64_t done, std::int64_t total,
                          double seconds);

}  // namespace cambium::cli
