// A few lines on standard error that redraw themselves on a terminal; elsewhere, a plain line every
// few seconds. The destructor clears the lines.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cambium::cli {

class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool is_due() const;  // whether it is time to draw again
  // Draws `lines` on a terminal, cut at its width, or prints `plain` elsewhere.
  void draw(const std::vector<std::string>& lines, const std::vector<std::string>& plain);

  std::size_t width() const;   // of the terminal; 0 if there is none
  std::size_t height() const;  // how many lines fit

 private:
  using Clock = std::chrono::steady_clock;
  void clear();

  bool terminal_;
  std::size_t drawn_ = 0;  // number of lines
  Clock::time_point next_ = Clock::now();
};

// "12 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

}  // namespace cambium::cli
